//! QEMU's board "virt": a UART, a clock of 10 MHz with one alarm, and a word that ends the emulation.

use core::cell::RefCell;
use core::ptr;
use core::task::Waker;

use critical_section::{CriticalSection, Mutex};
use embassy_time_queue_utils::Queue;

const UART: *mut u8 = 0x1000_0000 as *mut u8;
const LINE_STATUS: usize = 5;
const CAN_TAKE: u8 = 0x20;
const TIME: *const u32 = 0x0200_BFF8 as *const u32;
const ALARM: *mut u32 = 0x0200_4000 as *mut u32;
const FINISHER: *mut u32 = 0x0010_0000 as *mut u32;

pub fn put(bytes: &[u8]) {
    for byte in bytes {
        // SAFETY: registers of the UART.
        unsafe {
            while ptr::read_volatile(UART.add(LINE_STATUS)) & CAN_TAKE == 0 {}
            ptr::write_volatile(UART, *byte);
        }
    }
}

pub fn end(good: bool) -> ! {
    let word = if good { 0x5555 } else { 0x1_3333 };
    loop {
        // SAFETY: the register that ends the emulation.
        unsafe { ptr::write_volatile(FINISHER, word) };
    }
}

pub fn microseconds() -> u32 {
    (now() / 10) as u32
}

fn now() -> u64 {
    loop {
        // SAFETY: registers of the clock.
        let (high, low, again) = unsafe {
            (
                ptr::read_volatile(TIME.add(1)),
                ptr::read_volatile(TIME),
                ptr::read_volatile(TIME.add(1)),
            )
        };
        if high == again {
            return u64::from(high) << 32 | u64::from(low);
        }
    }
}

struct Clock {
    queue: Mutex<RefCell<Queue>>,
}

impl Clock {
    fn ring(&self, section: CriticalSection<'_>) {
        let next = self.queue.borrow_ref_mut(section).next_expiration(now());
        // SAFETY: registers of the alarm; in this order it never rings too early.
        unsafe {
            ptr::write_volatile(ALARM, u32::MAX);
            ptr::write_volatile(ALARM.add(1), (next >> 32) as u32);
            ptr::write_volatile(ALARM, next as u32);
        }
    }
}

impl embassy_time_driver::Driver for Clock {
    fn now(&self) -> u64 {
        now()
    }

    fn schedule_wake(&self, at: u64, waker: &Waker) {
        critical_section::with(|section| {
            let sooner = self.queue.borrow_ref_mut(section).schedule_wake(at, waker);
            if sooner {
                self.ring(section);
            }
        });
    }
}

embassy_time_driver::time_driver_impl!(
    static CLOCK: Clock = Clock { queue: Mutex::new(RefCell::new(Queue::new())) }
);

pub fn begin() {
    critical_section::with(|section| CLOCK.ring(section));
    // SAFETY: the handler is there.
    unsafe {
        riscv::register::mie::set_mtimer();
        riscv::register::mstatus::set_mie();
    }
}

#[riscv_rt::core_interrupt(riscv::interrupt::Interrupt::MachineTimer)]
fn alarm() {
    critical_section::with(|section| CLOCK.ring(section));
}
