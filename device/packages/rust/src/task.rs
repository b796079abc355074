use core::ffi::CStr;
use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};

/// Names a task of any executor: what `future` requests while it is polled is recorded as its own.
///
/// ```
/// # async fn serve() {}
/// let named = heapscope::task(c"server", serve());
/// ```
///
/// Futures of one name are one task. Without the feature `std` the name is kept for one core: a
/// future that another core polls at the same time is recorded with either name.
pub fn task<F: Future>(name: &'static CStr, future: F) -> Task<F> {
    Task { name, future }
}

/// A future with a name, made by [`task`].
#[must_use = "a future does nothing unless it is polled"]
pub struct Task<F> {
    name: &'static CStr,
    future: F,
}

impl<F: Future> Future for Task<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let _named = Named::new(self.name.as_ptr() as usize);
        // SAFETY: the field is pinned as the whole is, and is never moved out.
        unsafe { self.map_unchecked_mut(|task| &mut task.future) }.poll(context)
    }
}

/// The running task has that name while this lives; the one before it returns after that, also
/// where a poll panics.
struct Named {
    before: usize,
}

impl Named {
    fn new(name: usize) -> Self {
        Self {
            before: running::replace(name),
        }
    }
}

impl Drop for Named {
    fn drop(&mut self) {
        running::replace(self.before);
    }
}

/// Hears of each poll. It is set by the first request that is recorded, so that a program that only
/// names its tasks is not linked with what tells `heapscope record`.
#[cfg(all(feature = "std", target_os = "linux"))]
pub(crate) static LISTENER: std::sync::OnceLock<unsafe extern "C" fn(*const core::ffi::c_char)> =
    std::sync::OnceLock::new();

#[cfg(feature = "std")]
mod running {
    use core::cell::Cell;
    #[cfg(target_os = "linux")]
    use core::ffi::c_char;

    std::thread_local! {
        static NAME: Cell<usize> = const { Cell::new(0) };
    }

    pub(super) fn replace(name: usize) -> usize {
        #[cfg(target_os = "linux")]
        if let Some(tell) = super::LISTENER.get() {
            // SAFETY: the address of a name that stays, or NULL.
            unsafe { tell(name as *const c_char) };
        }
        NAME.try_with(|one| one.replace(name)).unwrap_or(0)
    }

    pub(super) fn name() -> usize {
        NAME.try_with(Cell::get).unwrap_or(0)
    }
}

#[cfg(not(feature = "std"))]
mod running {
    use core::sync::atomic::{AtomicUsize, Ordering};

    static NAME: AtomicUsize = AtomicUsize::new(0);

    /// A poll in an interrupt puts the name back that it found, so that two steps are enough.
    pub(super) fn replace(name: usize) -> usize {
        let before = NAME.load(Ordering::Relaxed);
        NAME.store(name, Ordering::Relaxed);
        before
    }

    pub(super) fn name() -> usize {
        NAME.load(Ordering::Relaxed)
    }
}

/// Called by the recorder's hooks: the handle of a task is the address of its name.
#[no_mangle]
extern "C" fn hs_rust_task() -> usize {
    running::name()
}
