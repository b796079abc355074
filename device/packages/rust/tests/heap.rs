//! The heap as an allocator: random layouts, each block aligned and with its own contents.

use std::alloc::{GlobalAlloc, Layout};
use std::env;

use heapscope::{Arena, Heap, Recorded};

struct Block {
    address: *mut u8,
    layout: Layout,
    fill: u8,
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

fn seed() -> u64 {
    let seed = env::var("HEAPSCOPE_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1);
    println!("HEAPSCOPE_SEED={seed}");
    seed * 0x9E37_79B9_7F4A_7C15 | 1
}

fn holds(block: &Block) -> bool {
    // SAFETY: a live block of that size.
    let bytes = unsafe { std::slice::from_raw_parts(block.address, block.layout.size()) };
    block.address as usize % block.layout.align() == 0 && bytes.iter().all(|one| *one == block.fill)
}

fn run(heap: &impl GlobalAlloc, random: &mut Random, sound: impl Fn() -> bool) -> usize {
    let (mut live, mut failed) = (Vec::<Block>::new(), 0);
    for step in 0..20_000 {
        let fill = step as u8;
        let what = random.below(10);
        if what < 5 || live.is_empty() {
            let largest = [4, 16, 300, 6000][random.below(4)];
            let steepest = [3, 4, 13][random.below(3)];
            let (size, align) = (1 + random.below(largest), 1 << random.below(steepest));
            let layout = Layout::from_size_align(size, align).unwrap();
            // SAFETY: the size is not 0.
            let (address, cleared) = unsafe {
                if what == 0 {
                    (heap.alloc_zeroed(layout), true)
                } else {
                    (heap.alloc(layout), false)
                }
            };
            if address.is_null() {
                failed += 1;
                continue;
            }
            if cleared {
                assert!(holds(&Block {
                    address,
                    layout,
                    fill: 0
                }));
            }
            // SAFETY: the block has that size.
            unsafe { address.write_bytes(fill, size) };
            live.push(Block {
                address,
                layout,
                fill,
            });
        } else {
            let at = random.below(live.len());
            let block = live.swap_remove(at);
            assert!(holds(&block));
            if what < 7 {
                let size = 1 + random.below(2 * block.layout.size());
                // SAFETY: a live block of this heap, and its layout.
                let address = unsafe { heap.realloc(block.address, block.layout, size) };
                if address.is_null() {
                    failed += 1;
                    live.push(block);
                    continue;
                }
                let layout = Layout::from_size_align(size, block.layout.align()).unwrap();
                let kept = size.min(block.layout.size());
                let head = Layout::from_size_align(kept, block.layout.align()).unwrap();
                assert!(holds(&Block {
                    address,
                    layout: head,
                    fill: block.fill
                }));
                // SAFETY: the block has that size.
                unsafe { address.write_bytes(fill, size) };
                live.push(Block {
                    address,
                    layout,
                    fill,
                });
            } else {
                // SAFETY: as above.
                unsafe { heap.dealloc(block.address, block.layout) };
            }
        }
        assert!(step % 500 != 0 || sound());
    }
    for block in live {
        assert!(holds(&block));
        // SAFETY: as above.
        unsafe { heap.dealloc(block.address, block.layout) };
    }
    failed
}

#[test]
fn every_layout_is_served_as_it_is() {
    static ARENA: Arena<200_000> = Arena::new();
    static HEAP: Heap = Heap::on(&ARENA);
    let mut random = Random(seed());
    assert!(run(&HEAP, &mut random, || HEAP.is_sound()) > 0);
    let free = HEAP.free();
    assert!(run(&HEAP, &mut random, || HEAP.is_sound()) > 0);
    assert_eq!(HEAP.free(), free);
    assert!(HEAP.minimum_free() < free && HEAP.largest() > 100_000);
}

#[test]
fn the_wrapper_changes_no_answer() {
    static ARENA: Arena<100_000> = Arena::new();
    static HEAP: Recorded<Heap, 8> = Recorded::new(Heap::on(&ARENA));
    run(&HEAP, &mut Random(seed()), || HEAP.inner().is_sound());
}

#[test]
fn a_heap_without_memory_refuses() {
    static EMPTY: Heap = Heap::new();
    static TAKEN: Arena<4096> = Arena::new();
    static LATE: Heap = Heap::on(&TAKEN);
    let layout = Layout::new::<u32>();
    assert!(TAKEN.take().is_some() && TAKEN.take().is_none());
    // SAFETY: the size is not 0.
    unsafe {
        assert!(EMPTY.alloc(layout).is_null());
        assert!(LATE.alloc_zeroed(layout).is_null());
    }
    assert_eq!((EMPTY.free(), LATE.largest()), (0, 0));
}

#[test]
fn a_small_memory_serves_what_it_can() {
    static BYTES: Arena<300> = Arena::new();
    static HEAP: Heap = Heap::new();
    static NONE: Arena<1> = Arena::new();
    static TINY: Heap = Heap::new();
    assert!(HEAP.init(BYTES.take().unwrap()));
    assert!(!TINY.init(NONE.take().unwrap()));
    let largest = HEAP.largest();
    assert!(largest > 0 && largest < 300);
    // SAFETY: sizes are not 0.
    unsafe {
        let block = HEAP.alloc(Layout::from_size_align(largest, 1).unwrap());
        assert!(!block.is_null());
        assert!(HEAP
            .alloc(Layout::from_size_align(300, 1).unwrap())
            .is_null());
        assert!(HEAP
            .alloc(Layout::from_size_align(8, 4096).unwrap())
            .is_null());
        HEAP.dealloc(block, Layout::from_size_align(largest, 1).unwrap());
    }
}
