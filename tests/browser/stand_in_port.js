/* A stand-in for navigator.serial: the test asks for what a port would do, by `standIn`. */
(() => {
  const standIn = { refuses: {}, opened: [], port: null, baud: null, closed: 0, quiet: 0 };
  class Port {
    begin() {
      this.readable = new ReadableStream({ start: (controller) => (this.controller = controller) });
    }
    async open(options) {
      standIn.opened.push(options);
      if (standIn.refuses.open) throw new DOMException("Failed to open serial port.", standIn.refuses.open);
      standIn.port = this;
      standIn.quiet = 0;
      this.begin();
    }
    async close() {
      this.readable = null;
      standIn.closed++;
    }
  }
  standIn.send = (text) => standIn.port.controller.enqueue(Uint8Array.from(atob(text), (one) => one.charCodeAt(0)));
  /* An error of the line: the stream ends, and the port has another one. */
  standIn.line = (name) => {
    const { controller } = standIn.port;
    standIn.port.begin();
    controller.error(new DOMException("line", name));
  };
  standIn.unplug = () => {
    const { controller } = standIn.port;
    standIn.port.readable = null;
    controller.error(new DOMException("The device has been lost.", "NetworkError"));
  };
  window.standIn = standIn;
  Object.defineProperty(Navigator.prototype, "serial", {
    configurable: true,
    get: () => ({
      async requestPort() {
        if (standIn.refuses.choose) throw new DOMException("No.", standIn.refuses.choose);
        return new Port();
      },
    }),
  });
})();
