import { readFaults, type FaultRequest } from "./faults.ts";

/** Faults ordered ahead of the requests they shall hit. */
export interface FaultQueue {
  add(order: FaultOrder): void;
  clear(): void;
  /** The faults of this request; each order is used once. */
  take(request: MatchedRequest): readonly FaultRequest[];
}

export interface FaultOrder {
  readonly name: string;
  readonly args?: Readonly<Record<string, string>>;
  /** How many requests it hits: 1 unless told, or until the orders are cleared. */
  readonly times?: number | "always";
  readonly match?: FaultMatch;
}

/** All that is given must hold. */
export interface FaultMatch {
  /** The beginning of the path, with the vendor's prefix. */
  readonly path?: string;
  readonly model?: string;
  /** A part of the raw body. */
  readonly text?: string;
  /** The credential, without "Bearer" or "Token". */
  readonly key?: string;
}

interface MatchedRequest {
  readonly path: string;
  readonly model: string | undefined;
  readonly text: string;
  readonly key: string | undefined;
}

export function faultQueue(): FaultQueue {
  const orders: { readonly order: FaultOrder; left: number }[] = [];

  return {
    add(order) {
      if (orders.length >= MAX_ORDERS)
        throw new RangeError(`At most ${MAX_ORDERS} faults can be ordered.`);
      readFaults([requestOf(order)]);
      orders.push({ order, left: order.times === "always" ? Infinity : (order.times ?? 1) });
    },
    clear() {
      orders.length = 0;
    },
    take(request) {
      const hits = orders.filter(
        (each) => each.left > 0 && isMeant(each.order.match ?? {}, request),
      );
      for (const hit of hits) hit.left--;
      orders.splice(0, orders.length, ...orders.filter((each) => each.left > 0));
      return hits.map((hit) => requestOf(hit.order));
    },
  };
}

const MAX_ORDERS = 1_000;

function requestOf({ name, args = {} }: FaultOrder): FaultRequest {
  return { name, args };
}

function isMeant(match: FaultMatch, request: MatchedRequest): boolean {
  return (
    (match.path === undefined || request.path.startsWith(match.path)) &&
    (match.model === undefined || request.model === match.model) &&
    (match.text === undefined || request.text.includes(match.text)) &&
    (match.key === undefined || request.key === match.key)
  );
}
