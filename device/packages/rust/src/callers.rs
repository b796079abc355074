/// The call stack of a request, as the recorder takes it: return addresses, innermost first.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Callers {
    at: [usize; DEPTH],
}

const DEPTH: usize = if cfg!(feature = "callers") { 4 } else { 1 };

#[cfg(not(feature = "callers"))]
#[inline(always)]
pub(crate) fn callers() -> Callers {
    Callers { at: [0] }
}

/// Follows the frame pointers from the function that this is inlined into, up to the highest address
/// that [`Facts`](crate::Facts) names as the stack's. Frames whose code was compiled without frame
/// pointers are left out.
#[cfg(feature = "callers")]
#[inline(always)]
pub(crate) fn callers() -> Callers {
    let frame: usize;
    // SAFETY: reads a register.
    unsafe {
        #[cfg(any(target_arch = "riscv32", target_arch = "riscv64"))]
        core::arch::asm!("mv {}, s0", out(reg) frame, options(nomem, nostack));
        #[cfg(target_arch = "arm")]
        core::arch::asm!("mov {}, r7", out(reg) frame, options(nomem, nostack));
        #[cfg(target_arch = "x86_64")]
        core::arch::asm!("mov {}, rbp", out(reg) frame, options(nomem, nostack));
        #[cfg(target_arch = "aarch64")]
        core::arch::asm!("mov {}, x29", out(reg) frame, options(nomem, nostack));
    }
    follow(frame)
}

#[cfg(feature = "callers")]
fn follow(frame: usize) -> Callers {
    const WORD: usize = size_of::<usize>();
    /// Words from where a frame pointer points to the saved one, and to the return address.
    const SAVED: (isize, isize) = if cfg!(any(target_arch = "riscv32", target_arch = "riscv64")) {
        (-2, -1)
    } else {
        (0, 1)
    };
    let (top, here) = (
        crate::recorder::stack_top(),
        &frame as *const usize as usize,
    );
    let mut callers = Callers { at: [0; DEPTH] };
    let (mut frame, mut below) = (frame, here);
    for at in &mut callers.at {
        if frame <= below || frame > top - 2 * WORD || frame % WORD != 0 {
            break;
        }
        // SAFETY: between this function's frame and the top of the stack.
        unsafe {
            let words = frame as *const usize;
            *at = words.offset(SAVED.1).read();
            (below, frame) = (frame, words.offset(SAVED.0).read());
        }
    }
    callers
}
