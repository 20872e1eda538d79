import { openai } from "./openai.ts";
import type { VendorFactory } from "./vendor.ts";

/** Every vendor that is simulated, each under its own prefix. */
export const VENDORS: readonly VendorFactory[] = [openai];
