import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, TLSSocket, type TlsOptions } from "node:tls";
import { Buffer } from "node:buffer";

/** A mail server that keeps every mail. */
interface SmtpReceiver extends AsyncDisposable {
  readonly port: number;
  /** A URL without TLS. */
  readonly url: string;
  readonly mails: ReceivedMail[];
  /** Each command as it came, with credentials decoded. */
  readonly commands: string[];
  /** Connections that are open now. */
  readonly open: () => number;
}

interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** By name in lower case, unfolded. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string | undefined;
  readonly isEncrypted: boolean;
}

interface SmtpOptions {
  /** `starttls` offers it, `always` begins with TLS. */
  readonly tls?: { readonly mode: "starttls" | "always"; readonly keys: TlsOptions };
  readonly login?: { readonly user: string; readonly password: string };
  /** The answer to a command; undefined for the usual one. An empty answer is none at all. */
  readonly answer?: (command: string) => string | undefined;
}

export async function openSmtpReceiver(options: SmtpOptions = {}): Promise<SmtpReceiver> {
  const mails: ReceivedMail[] = [];
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const onSocket = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    new Session(socket, options, mails, commands).greet();
  };
  const server: Server =
    options.tls?.mode === "always"
      ? createTlsServer(options.tls.keys, onSocket).on("tlsClientError", () => {})
      : createServer(onSocket);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `smtp://127.0.0.1:${port}/?tls=off`,
    mails,
    commands,
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One connection. [RFC 5321] */
class Session {
  #socket: Socket;
  readonly #options: SmtpOptions;
  readonly #mails: ReceivedMail[];
  readonly #commands: string[];
  #rest = "";
  #from = "";
  #to: string[] = [];
  #isData = false;

  constructor(socket: Socket, options: SmtpOptions, mails: ReceivedMail[], commands: string[]) {
    this.#socket = socket;
    this.#options = options;
    this.#mails = mails;
    this.#commands = commands;
    this.#listen();
  }

  greet(): void {
    this.#say(this.#options.answer?.("") ?? "220 test ESMTP");
  }

  #listen(): void {
    this.#socket.on("error", () => {});
    this.#socket.on("data", (bytes: Buffer) => {
      this.#rest += bytes.toString("utf8");
      this.#read();
    });
  }

  #read(): void {
    for (;;) {
      const end = this.#rest.indexOf(this.#isData ? "\r\n.\r\n" : "\r\n");
      if (end === -1) return;
      const piece = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + (this.#isData ? 5 : 2));
      if (this.#isData) this.#keep(`${piece}\r\n`);
      else this.#obey(piece);
    }
  }

  #keep(data: string): void {
    this.#isData = false;
    const { headers, text, html } = decodeMail(data.replaceAll("\r\n..", "\r\n."));
    const isEncrypted = this.#socket instanceof TLSSocket;
    this.#mails.push({ from: this.#from, to: this.#to, headers, text, html, isEncrypted });
    this.#say("250 kept");
  }

  #obey(line: string): void {
    const [, secret] = /^AUTH PLAIN (.*)$/.exec(line) ?? [];
    const login = secret && Buffer.from(secret, "base64").toString().split("\0").slice(1).join(":");
    this.#commands.push(login === undefined ? line : `AUTH PLAIN ${login}`);
    const answer = this.#options.answer?.(line) ?? this.#usual(line, login);
    this.#say(answer);
    if (line === "STARTTLS" && answer.startsWith("220")) this.#startTls();
    if (line === "QUIT") this.#socket.end();
  }

  #usual(line: string, login: string | undefined): string {
    const { login: expected, tls } = this.#options;
    const [, address = ""] = /<(.*?)>/.exec(line) ?? [];
    const isPlain = !(this.#socket instanceof TLSSocket);
    if (line.startsWith("EHLO")) {
      const offered = [
        "250-test",
        ...(tls?.mode === "starttls" && isPlain ? ["250-STARTTLS"] : []),
        ...(expected === undefined ? [] : ["250-AUTH PLAIN"]),
        "250-SMTPUTF8",
        "250 8BITMIME",
      ];
      return offered.join("\r\n");
    }
    if (login !== undefined) {
      const isRight = login === `${expected?.user}:${expected?.password}`;
      return isRight ? "235 welcome" : "535 wrong password";
    }
    if (line === "STARTTLS") return "220 go ahead";
    if (line.startsWith("MAIL FROM:")) this.#from = address;
    else if (line.startsWith("RCPT TO:")) this.#to = [...this.#to, address];
    else if (line === "DATA") {
      this.#isData = true;
      return "354 end with a dot";
    } else if (line === "RSET") this.#to = [];
    return line === "QUIT" ? "221 bye" : "250 fine";
  }

  #startTls(): void {
    this.#socket.removeAllListeners("data");
    this.#socket = new TLSSocket(this.#socket, { isServer: true, ...this.#options.tls?.keys });
    this.#listen();
  }

  #say(answer: string): void {
    if (answer !== "") this.#socket.write(`${answer}\r\n`);
  }
}

function decodeMail(data: string): Pick<ReceivedMail, "headers" | "text" | "html"> {
  const { headers, body } = splitPart(data);
  const [, boundary] = /boundary="?([^";]+)/.exec(headers["content-type"] ?? "") ?? [];
  if (boundary === undefined) return { headers, text: decodeBody(headers, body), html: undefined };
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => splitPart(part.replace(/^\r\n/, "").replace(/\r\n$/, "")));
  const find = (type: string) => {
    const part = parts.find((each) => each.headers["content-type"]?.startsWith(type));
    return part && decodeBody(part.headers, part.body);
  };
  return { headers, text: find("text/plain") ?? "", html: find("text/html") };
}

function splitPart(data: string): { headers: Record<string, string>; body: string } {
  const end = data.indexOf("\r\n\r\n");
  const lines = data
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = lines.map((line) => {
    const [, name = "", value = ""] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
    return [name.toLowerCase(), decodeWords(value)];
  });
  return { headers: Object.fromEntries(headers), body: data.slice(end + 4) };
}

/** [RFC 2047] */
function decodeWords(value: string): string {
  return value
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?utf-8\?([qb])\?(.*?)\?=/gi, (_, form: string, text: string) =>
      form.toLowerCase() === "b"
        ? Buffer.from(text, "base64").toString()
        : unquote(text.replaceAll("_", " ")),
    );
}

function decodeBody(headers: Readonly<Record<string, string>>, body: string): string {
  const coding = headers["content-transfer-encoding"];
  if (coding === "base64") return Buffer.from(body, "base64").toString();
  const text = coding === "quoted-printable" ? unquote(body.replaceAll("=\r\n", "")) : body;
  return text.replaceAll("\r\n", "\n");
}

function unquote(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}
