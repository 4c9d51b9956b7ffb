// What every view shares: saying things aloud, failures, and what the server knows.

import { api } from "./api.js";
import { button, byId, h, put } from "./dom.js";

// Tells whoever listens, without moving anything.
export function say(text) {
  byId("said").textContent = text;
}

let fading;

// Tells what went wrong, until it is dismissed or something else does.
export function complain(error) {
  if (error.name === "AbortError" || error.status === 401) return;
  const text = h("p", null, sentence(error.message), error.hint && h("small", null, sentence(error.hint)));
  put(byId("trouble"), text, button("Dismiss", calm));
  clearTimeout(fading);
  fading = setTimeout(calm, 20000);
}

export function calm() {
  put(byId("trouble"));
}

function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// Runs what a person asked for; what goes wrong is told.
export function attempt(work) {
  return async (...given) => {
    try {
      return await work(...given);
    } catch (error) {
      complain(error);
      return undefined;
    }
  };
}

let known;

// What is in the store, asked for once until somebody changes it.
export function stats() {
  known ??= api.stats().catch((error) => {
    known = undefined;
    throw error;
  });
  return known;
}

export function changed() {
  known = undefined;
}

export const TRUST = ["confirmed", "observed", "inferred", "quarantined"];

export const CATEGORIES = [
  "core",
  "preference",
  "personal_fact",
  "workflow",
  "restriction",
  "convention",
  "host_info",
  "environment",
  "working_directory",
  "service_state",
  "discovery",
  "daily",
  "conversation",
];
