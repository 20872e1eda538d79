import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { KEY } from "./harness.ts";

/** A caller of chat completions that speaks HTTP by hand, so that it can stop reading, or leave, at any byte. */
export async function callByHand(gatewayUrl: string, body: string): Promise<Socket> {
  const { hostname, port } = new URL(gatewayUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: gate\r\nAuthorization: Bearer ${KEY}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return socket;
}
