import { expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { Mail } from "#core/mail.ts";
import { pem } from "#test/egress/tls-upstream.ts";
import { openSmtpReceiver } from "#test/smtp-receiver.ts";
import { openMailer } from "./mail.ts";

const FROM = "Sluice <gateway@example.com>";
const MAIL: Mail = {
  to: ["ada@example.org"],
  subject: "Hello",
  text: "A link: https://a.example/ü\n",
};
const KEYS = { key: pem("key"), cert: pem("good") };
const CA = pem("authority");
const LOGIN = { user: "gate@example.com", password: "pass/word:1" };
const LOGIN_IN_URL = `${encodeURIComponent(LOGIN.user)}:${encodeURIComponent(LOGIN.password)}`;

test("a mail arrives with sender, recipients, subject and text as they were given", async () => {
  await using server = await openSmtpReceiver();
  const mailer = openMailer({ url: server.url, from: FROM });
  const subject = `${"long ".repeat(20)}${"Größe".repeat(15)}`;

  await mailer.send({ ...MAIL, to: ["ada@example.org", "bob@example.org"], subject });

  const [mail] = server.mails;
  expect(mail).toMatchObject({
    from: "gateway@example.com",
    to: ["ada@example.org", "bob@example.org"],
    text: MAIL.text,
    html: undefined,
    isEncrypted: false,
  });
  expect(mail?.headers).toMatchObject({
    subject,
    from: FROM,
    to: "ada@example.org, bob@example.org",
    "auto-submitted": "auto-generated",
  });
});

test("a mail with HTML also has its plain text", async () => {
  await using server = await openSmtpReceiver();
  const mailer = openMailer({ url: server.url, from: "gateway@example.com" });

  await mailer.send({ ...MAIL, html: "<p>Ein Gruß</p>" });

  expect(server.mails[0]?.text.trim()).toBe(MAIL.text.trim());
  expect(server.mails[0]?.html?.trim()).toBe("<p>Ein Gruß</p>");
});

test("a line of dots arrives as it was written", async () => {
  await using server = await openSmtpReceiver();
  const mailer = openMailer({ url: server.url, from: FROM });

  await mailer.send({ ...MAIL, text: ".\n..\nend\n" });

  expect(server.mails[0]?.text).toBe(".\n..\nend\n");
});

for (const mode of ["starttls", "always"] as const) {
  test(`the login is only sent over TLS (${mode})`, async () => {
    await using server = await openSmtpReceiver({ tls: { mode, keys: KEYS }, login: LOGIN });
    const scheme = mode === "always" ? "smtps" : "smtp";
    const url = `${scheme}://${LOGIN_IN_URL}@localhost:${server.port}`;
    const mailer = openMailer({ url, from: FROM, ca: CA });

    await mailer.send(MAIL);

    expect(server.mails.map(({ isEncrypted }) => isEncrypted)).toEqual([true]);
    expect(server.commands).toContain(`AUTH PLAIN ${LOGIN.user}:${LOGIN.password}`);
  });
}

test("a certificate that is not trusted ends the delivery before the login", async () => {
  const tls = { mode: "starttls", keys: KEYS } as const;
  await using server = await openSmtpReceiver({ tls, login: LOGIN });
  const mailer = openMailer({ url: `smtp://user:secret@localhost:${server.port}`, from: FROM });

  const { code, message } = await failureOf(mailer.send(MAIL));

  expect([code, message]).toEqual([
    "upstream_failed",
    "The mail server offers no valid TLS connection.",
  ]);
  expect(server.commands.join("\n")).not.toMatch(/AUTH|MAIL/);
});

test("a server without TLS gets neither login nor mail, unless the URL allows it", async () => {
  await using server = await openSmtpReceiver({
    answer: (command) => (command === "STARTTLS" ? "502 unknown" : undefined),
  });
  const mailer = openMailer({ url: `smtp://user:secret@127.0.0.1:${server.port}`, from: FROM });

  expect((await failureOf(mailer.send(MAIL))).code).toBe("upstream_failed");
  expect(server.commands.join("\n")).not.toMatch(/AUTH|MAIL/);
});

const REFUSED = "The mail server refused the mail, its sender or a recipient. It answered 550.";
const REFUSALS = [
  [/^AUTH/, "535 no", "The mail server refused the login. Check mail.smtp_url. It answered 535."],
  [/^MAIL/, "550 no", REFUSED],
  [/^RCPT TO:<ada/, "550 no", REFUSED],
  [/^DATA/, "550 no", REFUSED],
  [/^EHLO/, "421 no", "The mail server cannot be reached. It answered 421."],
] as const;

for (const [command, answer, message] of REFUSALS) {
  test(`the error names what the server refused, without its words (${command.source})`, async () => {
    await using server = await openSmtpReceiver({
      login: LOGIN,
      answer: (line) => (command.test(line) ? answer : undefined),
    });
    const url = `smtp://${LOGIN_IN_URL}@127.0.0.1:${server.port}/?tls=off`;
    const mailer = openMailer({ url, from: FROM });

    expect((await failureOf(mailer.send(MAIL))).message).toBe(message);
  });
}

test("a mail that one of several recipients did not get is reported as not sent", async () => {
  await using server = await openSmtpReceiver({
    answer: (line) => (line.startsWith("RCPT TO:<bob") ? "550 no such user" : undefined),
  });
  const mailer = openMailer({ url: server.url, from: FROM });

  const failure = await failureOf(mailer.send({ ...MAIL, to: ["ada@a.example", "bob@a.example"] }));

  expect(failure.message).toBe("The mail server refused the mail, its sender or a recipient.");
});

test("a silent server is left after the time limit, and its connection is closed", async () => {
  await using server = await openSmtpReceiver({ answer: () => "" });
  const mailer = openMailer({ url: server.url, from: FROM, timeoutMs: 100 });

  const { code } = await failureOf(mailer.send(MAIL));
  await Bun.sleep(20);

  expect(code).toBe("upstream_timeout");
  expect(server.open()).toBe(0);
});

test("a server that does not exist is reported as unreachable", async () => {
  const server = await openSmtpReceiver();
  await server[Symbol.asyncDispose]();
  const mailer = openMailer({ url: server.url, from: FROM });

  expect((await failureOf(mailer.send(MAIL))).code).toBe("upstream_unreachable");
});

test("a metadata address is no mail server", async () => {
  const mailer = openMailer({ url: "smtp://169.254.169.254:25/?tls=off", from: FROM });

  expect((await failureOf(mailer.send(MAIL))).code).toBe("upstream_unreachable");
});

const INJECTIONS: readonly Partial<Mail>[] = [
  { subject: "Hello\r\nBcc: eve@example.org" },
  { subject: "Hello\u2028Bcc: eve@example.org" },
  { to: ["ada@example.org>\r\nRCPT TO:<eve@example.org"] },
  { to: ["ada@example.org, eve@example.org"] },
  { to: ["ada@example.org,eve@example.org"] },
  { to: ["Ada <ada@example.org>"] },
  { to: ['"eve@example.org"@example.org'] },
  { to: [] },
  { to: Array.from({ length: 51 }, (_, index) => `user${index}@example.org`) },
  { subject: "x".repeat(201) },
  { text: "x".repeat(256 * 1024 + 1) },
];

test("a mail that could have other headers or recipients is refused", async () => {
  await using server = await openSmtpReceiver();
  const mailer = openMailer({ url: server.url, from: FROM });

  const codes = await Promise.all(
    INJECTIONS.map(async (part) => (await failureOf(mailer.send({ ...MAIL, ...part }))).code),
  );

  expect(new Set(codes)).toEqual(new Set(["invalid_request"]));
  expect(server.commands).toEqual([]);
});

async function failureOf(sending: Promise<void>): Promise<GatewayError> {
  const failure = await sending.catch((cause: unknown) => cause);
  if (failure instanceof GatewayError) return failure;
  throw new Error("The mail was sent.", { cause: failure });
}
