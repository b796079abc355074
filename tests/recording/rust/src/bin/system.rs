fn main() {
    work::work();
}
