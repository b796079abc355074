"use strict";
/* A serial port of this machine: chosen by the reader, opened, and read until it ends. */
(() => {
  const BUFFER = 1 << 16; /* bytes that the browser holds while the page is busy */
  /* Errors of the line, after which the port goes on. */
  const LINE = { FramingError: "framing error", ParityError: "parity error", BreakError: "break", BufferOverrunError: "overrun of the buffer" };

  class PortError extends Error {}
  const failed = (text) => { throw new PortError(text); };

  async function choose() {
    try {
      return await navigator.serial.requestPort();
    } catch (error) {
      if (error.name === "NotFoundError") failed("No port was chosen.");
      if (error.name === "SecurityError" || error.name === "NotAllowedError") failed("The browser does not let this page ask for a port. Open the page in a window of its own, and allow serial ports in the settings of the site.");
      failed(`The port could not be asked for: ${error.message}`);
    }
  }

  async function open(port, baud) {
    try {
      await port.open({ baudRate: baud, bufferSize: BUFFER });
    } catch (error) {
      if (error.name === "InvalidStateError") failed("The port is open already, in this page or by what it did before. Close other windows of this page, or load it again.");
      if (error.name === "NotAllowedError" || error.name === "SecurityError") failed("The permission to use the port was denied. Allow it when the browser asks.");
      if (error.name === "NetworkError") failed("The port cannot be opened. Either another program has it, for example a serial monitor, which has to end first; or this user may not use it (on Linux the group dialout may).");
      if (error.name === "TypeError" || error.name === "RangeError") failed(`The port does not take ${baud.toLocaleString("en-US")} baud. Choose another speed.`);
      failed(`The port cannot be opened: ${error.message}`);
    }
  }

  class OpenPort {
    constructor(port) { Object.assign(this, { port, reader: null, stopped: false }); }

    /* To the end: "stopped", "unplugged" or "ended". `take` is waited for; `line` is told of each error of the line. */
    async read(take, line) {
      const { port } = this;
      while (port.readable && !this.stopped) {
        this.reader = port.readable.getReader();
        try {
          for (;;) {
            const { value, done } = await this.reader.read();
            if (done) return this.stopped ? "stopped" : "ended";
            if (value.length > 0) await take(value);
          }
        } catch (error) {
          if (LINE[error.name] !== undefined) line(LINE[error.name]);
          else if (error.name === "NetworkError") return "unplugged";
          else throw error;
        } finally {
          this.reader.releaseLock();
          this.reader = null;
        }
      }
      return this.stopped ? "stopped" : "unplugged";
    }
    async stop() {
      this.stopped = true;
      try {
        await this.reader?.cancel();
      } catch { /* the port is gone already */ }
    }
    async close() {
      try {
        await this.port.close();
      } catch { /* the port is gone already */ }
    }
  }

  HS.serial = {
    there: () => navigator.serial !== undefined,
    PortError,
    /* An open port. PortError: the reader can do something about it, and the message says what. */
    async connect(baud) {
      const port = await choose();
      await open(port, baud);
      return new OpenPort(port);
    },
  };
})();
