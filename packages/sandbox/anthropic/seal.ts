import { createHash, createHmac } from "node:crypto";

/**
 * What the vendor signs or encrypts and wants back unchanged: the signature of
 * a thought, a redacted thought, the content of a search result. Bound to what
 * was shown with it, so that any change shows.
 */
export function seal({ kind, owner, shown, hidden, bound = UNBOUND }: Sealed): string {
  const head = Buffer.concat([digestOf(hidden), bindingOf(bound)]);
  return Buffer.concat([HEAD, head, mac({ kind, owner, shown }, head)]).toString("base64");
}

/** False for a seal that was changed, or was made for something else, or elsewhere. */
export function isSeal(token: string, sealed: Omit<Sealed, "hidden" | "bound">): boolean {
  const bytes = bytesOf(token);
  if (bytes === undefined) return false;
  return mac(sealed, headOf(bytes)).equals(bytes.subarray(-MAC_BYTES));
}

/** Which of the things that a seal is bound to are as they were. Only of a seal that is one. */
export function boundTo(token: string, bound: Binding): Record<keyof Binding, boolean> {
  const was = headOf(bytesOf(token) ?? Buffer.alloc(0)).subarray(32);
  const is = bindingOf(bound);
  const isSame = (index: number): boolean => part(was, index).equals(part(is, index));
  return { prefix: isSame(0), thought: isSame(1), account: isSame(2) };
}

interface Sealed {
  readonly kind: "thinking" | "redacted_thinking" | "search_result" | "citation";
  /** The model whose thought it is. */
  readonly owner: string;
  readonly shown: string;
  /** The part that only the vendor can read. */
  readonly hidden: string;
  readonly bound?: Binding;
}

/** The conversation before the reasoning, and the model that made it. */
export interface Binding {
  /** Everything but thoughts. */
  readonly prefix: string;
  /** The thought before this one. */
  readonly thought: string;
  readonly account: string;
}

const UNBOUND: Binding = { prefix: "", thought: "", account: "" };

/** Such tokens of the vendor begin with "E". */
const HEAD = Buffer.from([0x12, 0x40, 0x0a]);
const PART_BYTES = 12;
const HEAD_BYTES = 32 + 3 * PART_BYTES;
const MAC_BYTES = 32;

/** A sandbox has no secrets; another process of it must accept what this one made. */
const KEY = "sandbox";

function bytesOf(token: string): Buffer | undefined {
  const bytes = Buffer.from(token, "base64");
  const isWhole = bytes.length === HEAD.length + HEAD_BYTES + MAC_BYTES;
  return isWhole && bytes.toString("base64") === token ? bytes : undefined;
}

function headOf(bytes: Buffer): Buffer {
  return bytes.subarray(HEAD.length, HEAD.length + HEAD_BYTES);
}

function bindingOf({ prefix, thought, account }: Binding): Buffer {
  const parts = [prefix, thought, account].map((each) => digestOf(each).subarray(0, PART_BYTES));
  return Buffer.concat(parts);
}

function part(binding: Buffer, index: number): Buffer {
  return binding.subarray(index * PART_BYTES, (index + 1) * PART_BYTES);
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function mac({ kind, owner, shown }: Omit<Sealed, "hidden" | "bound">, head: Uint8Array): Buffer {
  const text = JSON.stringify([kind, owner, shown]);
  return createHmac("sha256", KEY).update(text).update(head).digest();
}
