"use strict";
// A browser starts no worker for a page that is a file, and the search of the site is one. In its place
// the worker's script runs in a hidden frame, which inherits the page's origin. On a server nothing changes.
if (location.protocol === "file:") {
    window.IFrameWorker = class extends EventTarget {
        #waiting = [];
        #frame = document.createElement("iframe");

        constructor(address) {
            super();
            const place = String(new URL(address, document.baseURI)).replaceAll("&", "&amp;")
                .replaceAll('"', "&quot;");
            this.#frame.hidden = true;
            this.#frame.srcdoc = '<!doctype html><script>window.postMessage = data => '
                + 'window.frameElement.answer(data);<\/script><script src="' + place + '"><\/script>';
            this.#frame.answer = data => this.dispatchEvent(new MessageEvent("message", { data }));
            this.#frame.addEventListener("load", () => {
                const waiting = this.#waiting;
                this.#waiting = null;
                waiting.forEach(data => this.postMessage(data));
            });
            document.body.append(this.#frame);
        }

        postMessage(data) {
            if (this.#waiting) {
                this.#waiting.push(data);
                return;
            }
            const inside = this.#frame.contentWindow;
            inside.dispatchEvent(new inside.MessageEvent("message", { data }));
        }

        terminate() {
            this.#frame.remove();
        }
    };
    window.Worker = window.IFrameWorker;
}
