use core::cell::UnsafeCell;

/// Takes the bytes of a trace.
pub trait Sink: Send {
    /// Takes up to all bytes and returns how many; 0: none now. None: the line is cut; once bytes
    /// are taken again, the trace begins with what a new listener needs. It must not wait for longer
    /// than the drain's task may.
    fn write(&mut self, bytes: &[u8]) -> Option<usize>;
}

/// A line that takes bytes, such as a UART: the function is the sink's.
pub struct Bytes<F>(pub F);

impl<F: FnMut(&[u8]) -> Option<usize> + Send> Sink for Bytes<F> {
    fn write(&mut self, bytes: &[u8]) -> Option<usize> {
        (self.0)(bytes)
    }
}

const LINE: usize = 48;
const PREFIX: &[u8] = b"heapscope:";

/// A log that takes lines of text, such as defmt's: each line is `heapscope:` and 96 or fewer digits
/// of base 16.
///
/// ```
/// # macro_rules! println { ($text:literal, $line:expr) => { drop($line) } }
/// let sink = heapscope::HexLines(|line: &str| println!("{=str}", line)); // defmt::println!
/// ```
pub struct HexLines<F>(pub F);

impl<F: FnMut(&str) + Send> Sink for HexLines<F> {
    fn write(&mut self, bytes: &[u8]) -> Option<usize> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        for part in bytes.chunks(LINE) {
            let mut line = [0; PREFIX.len() + 2 * LINE];
            line[..PREFIX.len()].copy_from_slice(PREFIX);
            let mut at = PREFIX.len();
            for byte in part {
                line[at] = DIGITS[usize::from(byte >> 4)];
                line[at + 1] = DIGITS[usize::from(byte & 15)];
                at += 2;
            }
            (self.0)(core::str::from_utf8(&line[..at]).unwrap_or_default());
        }
        Some(bytes.len())
    }
}

#[repr(C)]
struct RawRtt {
    words: [usize; RTT_WORDS],
}

/// At least the words of hs_recorder_rtt_t, for any processor.
const RTT_WORDS: usize = 12;

extern "C" {
    fn hs_rust_rtt_size() -> usize;
    fn hs_rust_rtt_open(rtt: *mut RawRtt, bytes: *mut u8, size: u32);
    fn hs_rust_rtt_write(rtt: *mut RawRtt, bytes: *const u8, count: usize) -> usize;
}

/// A ring that a debug probe reads while the program runs, in the layout of SEGGER's RTT. The probe
/// finds it by its name in memory, as it finds any other's.
pub struct Rtt {
    raw: UnsafeCell<RawRtt>,
}

// SAFETY: it is used by one drain, and by the probe.
unsafe impl Send for Rtt {}

impl Rtt {
    /// A ring that is not there yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            raw: UnsafeCell::new(RawRtt {
                words: [0; RTT_WORDS],
            }),
        }
    }

    /// Puts the ring where a probe finds it. It must stay where it is from now on.
    pub fn begin(&'static mut self, ring: &'static mut [u8]) -> &'static mut Self {
        let size = u32::try_from(ring.len()).unwrap_or(u32::MAX);
        // SAFETY: the struct has room, and both memories stay.
        unsafe {
            assert!(hs_rust_rtt_size() <= size_of::<RawRtt>());
            hs_rust_rtt_open(self.raw.get(), ring.as_mut_ptr(), size);
        }
        self
    }
}

impl Default for Rtt {
    fn default() -> Self {
        Self::new()
    }
}

impl Sink for Rtt {
    fn write(&mut self, bytes: &[u8]) -> Option<usize> {
        // SAFETY: one drain calls; before `begin` the ring has no byte, and takes none.
        Some(unsafe { hs_rust_rtt_write(self.raw.get(), bytes.as_ptr(), bytes.len()) })
    }
}

/// A file of the operating system.
#[cfg(feature = "std")]
pub struct FileSink(pub std::fs::File);

#[cfg(feature = "std")]
impl Sink for FileSink {
    fn write(&mut self, bytes: &[u8]) -> Option<usize> {
        use std::io::Write;
        self.0.write_all(bytes).ok().map(|()| bytes.len())
    }
}
