/**
 * How much is read, written or put together at once in this process, by whatever
 * the runtime has for it. What it hands over itself comes in pieces of its own
 * size, and is put where it belongs.
 */
interface Steps extends Disposable {
  /** Of the largest step so far, and which it was. */
  readonly largest: { readonly name: string; readonly sizeBytes: number };
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

export function watchSteps(): Steps {
  let largest = { name: "none", sizeBytes: 0 };
  const note = (name: string, ...values: readonly unknown[]): void => {
    const sizeBytes = Math.max(...values.map(sizeOf));
    if (sizeBytes > largest.sizeBytes) largest = { name, sizeBytes };
  };
  const watched: readonly [name: string, owner: object][] = [
    ["parse", JSON],
    ["stringify", JSON],
    ["from", Buffer],
    ["concat", Buffer],
    ["toString", Buffer.prototype],
    ["write", Buffer.prototype],
    ["slice", Uint8Array.prototype],
    ["decode", TextDecoder.prototype],
    ["encode", TextEncoder.prototype],
    ["arrayBuffer", Request.prototype],
    ["text", Request.prototype],
  ];
  const restore = watched.map(([name, owner]) => {
    const methods = owner as Record<string, Method>;
    const isOwn = Object.hasOwn(owner, name);
    const method = methods[name];
    if (method === undefined) throw new Error(`There is no '${name}'.`);
    const noting: Method = function (this: unknown, ...args) {
      const result = method.apply(this, args);
      // A view is no copy of what it shows, and an answer that is waited for is noted once it is there.
      const isView = name === "from" && args[0] instanceof ArrayBuffer;
      if (result instanceof Promise) void result.then((late: unknown) => note(name, late));
      else if (!isView) note(name, result, args[0]);
      return result;
    };
    methods[name] = noting;
    return () => {
      if (isOwn) methods[name] = method;
      else Reflect.deleteProperty(owner, name);
    };
  });
  return {
    get largest() {
      return largest;
    },
    [Symbol.dispose]() {
      for (const each of restore) each();
    },
  };
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength;
  return 0;
}
