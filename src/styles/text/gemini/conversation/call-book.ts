import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";

interface OpenCall {
  readonly id: string;
  readonly name: string;
  isAnswered: boolean;
}

/** Calls with one id, or of one name, in their order. */
interface Queue {
  readonly calls: OpenCall[];
  next: number;
}

/**
 * Which result answers which call. Calls need no id in this style; those
 * without get one from where they stand, the same each time the conversation
 * comes, and their results find them by name, in order.
 */
export class CallBook {
  readonly #byId = new Map<string, Queue>();
  readonly #byName = new Map<string, Queue>();
  #turn = -1;
  #order = 0;

  turn(): void {
    this.#turn++;
    this.#order = 0;
  }

  call(wire: JsonObject): { id: string; name: string } {
    const id = textOf(wire["id"]) || this.#nextId();
    const name = textOf(wire["name"]) ?? "";
    const call: OpenCall = { id, name, isAnswered: false };
    add(this.#byId, id, call);
    add(this.#byName, name, call);
    return { id, name };
  }

  result(wire: JsonObject): { callId: string; name: string } {
    const id = textOf(wire["id"]) || undefined;
    const name = textOf(wire["name"]) ?? "";
    const call = firstOpen(this.#byId.get(id ?? "")) ?? firstOpen(this.#byName.get(name));
    if (call === undefined) return { callId: id ?? this.#nextId(), name };
    call.isAnswered = true;
    return { callId: call.id, name: name || call.name };
  }

  #nextId(): string {
    return `call_${this.#turn}_${this.#order++}`;
  }
}

function add(queues: Map<string, Queue>, key: string, call: OpenCall): void {
  const queue = queues.get(key);
  if (queue === undefined) queues.set(key, { calls: [call], next: 0 });
  else queue.calls.push(call);
}

function firstOpen(queue: Queue | undefined): OpenCall | undefined {
  if (queue === undefined) return undefined;
  while (queue.calls[queue.next]?.isAnswered === true) queue.next++;
  return queue.calls[queue.next];
}
