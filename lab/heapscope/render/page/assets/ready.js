"use strict";
/* A page of tables alone: there is nothing to draw, so it is ready. */
document.documentElement.dataset.ready = "yes";
