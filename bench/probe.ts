import { openHttpReader } from "./http-reader.ts";
import { quantiles } from "./tally.ts";

/**
 * One caller of a free path, a process of its own: how long a target lets
 * everyone wait. Its arguments are the port and the path. It begins with the
 * first line of its input, and prints its result after the second.
 */
const [port = "", path = "/"] = process.argv.slice(2);

const EVERY_MS = 4;
const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`;
const times: number[] = [];
let sentAt = 0;
let isRunning = false;

const read = openHttpReader({
  head() {},
  body() {},
  end() {
    if (isRunning) times.push(performance.now() - sentAt);
    setTimeout(ask, EVERY_MS);
  },
});
const socket = await Bun.connect({
  hostname: "127.0.0.1",
  port: Number(port),
  socket: { data: (_, received) => read(received) },
});
ask();

process.stdin.on("data", () => {
  if (isRunning) process.stdout.write(`${JSON.stringify(quantiles(times))}\n`);
  isRunning = !isRunning;
});
process.stdin.on("end", () => process.exit(0));

function ask(): void {
  sentAt = performance.now();
  socket.write(request);
}
