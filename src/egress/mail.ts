import { isIP } from "node:net";
import { createTransport } from "nodemailer";
import { GatewayError } from "#core/error.ts";
import { mailProblem, type Mail, type Mailer } from "#core/mail.ts";
import { Semaphore } from "#lib/semaphore.ts";
import { hostOf } from "./guard.ts";
import { openLifetime, timedOut, type Lifetime } from "./lifetime.ts";
import { openPinnedSocket } from "./pinned-socket.ts";
import { isWithinReach } from "./reach.ts";
import { resolveAsSystem } from "./resolve-host.ts";

interface MailServer {
  /**
   * `smtps://` uses TLS from the start. `smtp://` requires STARTTLS, unless the
   * query is `tls=off`.
   */
  readonly url: string;
  /** `address` or `Name <address>` */
  readonly from: string;
  /** Certificate authorities to trust instead of the default ones, in PEM. */
  readonly ca?: string;
  /** For a whole delivery. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;
const RESOLVE_TIMEOUT_MS = 5_000;
const AT_ONCE = 4;
const MAX_WAITING = 100;
const MAX_RESPONSE_BYTES = 64 * 1024;

/** A mailer that opens one connection for each mail. */
export function openMailer(server: MailServer): Mailer {
  const places = new Semaphore(AT_ONCE, MAX_WAITING);
  const sender = senderIn(server.from);
  return {
    async send(mail) {
      const problem = mailProblem(mail);
      if (problem !== undefined) throw new GatewayError("invalid_request", `The mail ${problem}`);
      using place = await places.enter();
      if (place === undefined) {
        throw new GatewayError("overloaded", "Too many mails at once.", { retryAfterMs: 5_000 });
      }
      const lifetime = openLifetime(server.timeoutMs ?? TIMEOUT_MS, undefined);
      try {
        await deliver(mail, sender, server, lifetime);
      } catch (cause) {
        throw explained(lifetime.signal.aborted ? lifetime.signal.reason : cause);
      } finally {
        lifetime.end();
      }
    },
  };
}

interface Sender {
  readonly name: string;
  readonly address: string;
}

function senderIn(from: string): Sender {
  const [, name, address] = /^(.*?)\s*<(.*)>$/.exec(from) ?? [];
  return address === undefined ? { name: "", address: from } : { name: name ?? "", address };
}

async function deliver(
  { to, subject, text, html }: Mail,
  sender: Sender,
  server: MailServer,
  lifetime: Lifetime,
): Promise<void> {
  const url = new URL(server.url);
  const connection = await connect(url, lifetime);
  const transport = createTransport({
    connection,
    ...securityOf(url, server.ca),
    ...loginIn(url),
    host: hostOf(url),
    maxResponseSize: MAX_RESPONSE_BYTES,
    socketCloseTimeout: 0,
    // A mail holds texts only: no part of it is read from a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    // The whole address is given as such, so that nodemailer does not look for several in it.
    const recipients = to.map((address) => ({ name: "", address }));
    const sending = transport.sendMail({
      from: sender,
      to: recipients,
      envelope: { from: sender.address, to: [...to] },
      subject,
      text,
      ...(html === undefined ? {} : { html }),
      headers: { "Auto-Submitted": "auto-generated" },
      signal: lifetime.signal,
    });
    const late = () => timedOut("mail");
    const sent = await lifetime.within(server.timeoutMs ?? TIMEOUT_MS, late, sending);
    if (sent.rejected.length > 0) throw Object.assign(new Error("rejected"), { code: "EENVELOPE" });
  } finally {
    transport.close();
    connection.destroy();
  }
}

/** Connects to an address that may be private, but is neither a metadata nor a multicast address. */
async function connect(url: URL, { signal, within }: Lifetime) {
  const host = hostOf(url);
  const resolving = isIP(host) === 0 ? resolveAsSystem(host) : Promise.resolve([host]);
  const addresses = await within(RESOLVE_TIMEOUT_MS, () => timedOut("lookup"), resolving);
  const isAllowed = (address: string) => isWithinReach(address, "private");
  if (addresses.length === 0 || !addresses.every(isAllowed)) {
    throw Object.assign(new Error("forbidden address"), { code: "EDNS" });
  }
  // Without TLS here: the protocol decides later when it begins.
  const plain = new URL(`http://${url.host}`);
  plain.port = String(portIn(url));
  const connecting = openPinnedSocket(plain, addresses, { isAllowed, ca: undefined, signal });
  return await within(CONNECT_TIMEOUT_MS, () => timedOut("connect"), connecting);
}

function portIn({ port, protocol }: URL): number {
  if (port !== "") return Number(port);
  return protocol === "smtps:" ? 465 : 587;
}

function securityOf(url: URL, ca: string | undefined) {
  const host = hostOf(url);
  const tls = {
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 has no effect.
    rejectUnauthorized: true,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  };
  if (url.protocol === "smtps:") return { secure: true, tls };
  const isOff = url.searchParams.get("tls") === "off";
  return { secure: false, ...(isOff ? { ignoreTLS: true } : { requireTLS: true }), tls };
}

function loginIn({ username, password }: URL) {
  if (username === "") return {};
  return { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } };
}

/** The server's words stay out of the error, because they can quote addresses. */
function explained(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) {
    if (cause.code !== "upstream_timeout") return cause;
    return new GatewayError("upstream_timeout", LATE, { cause });
  }
  const { code = "", originalCode = "", responseCode = 0 } = detailsOf(cause);
  const kind = CERTIFICATE.test(originalCode) ? "ETLS" : code;
  const [fault, message] = FAILURES[kind] ?? UNREACHABLE;
  const answer = responseCode > 0 ? ` It answered ${responseCode}.` : "";
  return new GatewayError(fault, message + answer, { cause });
}

interface Details {
  readonly code?: string;
  /** The system's or the TLS library's code. */
  readonly originalCode?: string;
  readonly responseCode?: number;
}

function detailsOf(cause: unknown): Details {
  if (!(cause instanceof Error)) return {};
  const text = (name: string) => (name in cause ? String(Reflect.get(cause, name)) : "");
  return {
    code: text("code"),
    originalCode: text("originalCode"),
    responseCode: Number(text("responseCode")),
  };
}

const CERTIFICATE = /CERT|SIGNATURE|ALTNAME|SSL|TLS/;
const LATE = "The mail server took too long to answer.";
const UNREACHABLE = ["upstream_unreachable", "The mail server cannot be reached."] as const;

type MailFault = "upstream_failed" | "upstream_unreachable" | "upstream_timeout";

/** By nodemailer's code. */
const FAILURES: Readonly<Record<string, readonly [MailFault, string]>> = {
  EAUTH: ["upstream_failed", "The mail server refused the login. Check mail.smtp_url."],
  ENOAUTH: ["upstream_failed", "The mail server refused the login. Check mail.smtp_url."],
  EENVELOPE: ["upstream_failed", "The mail server refused the mail, its sender or a recipient."],
  EMESSAGE: ["upstream_failed", "The mail server refused the mail's content."],
  EPROTOCOL: ["upstream_failed", "The mail server broke the protocol."],
  ETLS: ["upstream_failed", "The mail server offers no valid TLS connection."],
  ETIMEDOUT: ["upstream_timeout", LATE],
};
