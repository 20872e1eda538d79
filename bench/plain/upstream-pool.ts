import { openHttpReader } from "../http-reader.ts";

/** What happens to one request, in order; `failed` may come instead of anything else, and is last. */
export interface UpstreamListener {
  head(status: number, isStream: boolean): void;
  piece(bytes: Buffer): void;
  end(): void;
  failed(): void;
}

/** One connection to the upstream, which serves one request at a time. */
export interface UpstreamConnection {
  /** The client is gone: the answer is of no use. */
  abandon(): void;
}

interface State extends UpstreamConnection {
  listener: UpstreamListener | undefined;
  push(received: Buffer): void;
}

type UpstreamSocket = Bun.Socket<State>;

/** Keeps idle connections to one upstream. */
export class UpstreamPool {
  readonly #idle: UpstreamSocket[] = [];
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends a request; `onSent` gets the connection, at once if one is idle. */
  send(
    request: string,
    listener: UpstreamListener,
    onSent: (connection: UpstreamConnection) => void,
  ): void {
    const socket = this.#idle.pop();
    if (socket === undefined) {
      this.#connect(request, listener, onSent);
      return;
    }
    socket.data.listener = listener;
    socket.write(request);
    onSent(socket.data);
  }

  #connect(
    request: string,
    listener: UpstreamListener,
    onSent: (connection: UpstreamConnection) => void,
  ): void {
    const idle = this.#idle;
    const opening = Bun.connect<State>({
      hostname: "127.0.0.1",
      port: this.#port,
      data: openState(() => socket?.terminate()),
      socket: {
        open(opened) {
          socket = opened;
          opened.data.listener = listener;
          opened.write(request);
          onSent(opened.data);
        },
        data(from, received) {
          from.data.push(received);
          if (from.data.listener === undefined) idle.push(from);
        },
        close(closed) {
          const { listener: left } = closed.data;
          closed.data.listener = undefined;
          const at = idle.indexOf(closed);
          if (at >= 0) idle.splice(at, 1);
          left?.failed();
        },
      },
    });
    let socket: UpstreamSocket | undefined;
    opening.catch(() => listener.failed());
  }
}

function openState(terminate: () => void): State {
  const state: State = {
    listener: undefined,
    abandon() {
      state.listener = undefined;
      terminate();
    },
    push: openHttpReader({
      head(head) {
        const isStream = /\r\ncontent-type: *text\/event-stream/i.test(head);
        state.listener?.head(Number(head.slice(9, 12)), isStream);
      },
      body: (bytes, from, to) => state.listener?.piece(bytes.subarray(from, to)),
      end() {
        const { listener } = state;
        state.listener = undefined;
        listener?.end();
      },
    }),
  };
  return state;
}
