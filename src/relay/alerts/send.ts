import type { AlertDestination, AlertDestinationStore } from "#core/alert.ts";
import { GatewayError } from "#core/error.ts";
import type { AnswerReader } from "#core/media.ts";
import type { WebhookDelivery } from "#core/webhook-delivery.ts";
import type { Clock } from "#lib/clock.ts";
import { defined } from "#lib/values.ts";
import type { DeliveryFailure } from "../tasks/deliver-webhooks.ts";
import { answerOf, FORMATS } from "./formats.ts";
import { plainText, readMessage, titleOf, type AlertMessage } from "./message.ts";

interface AlertMailer {
  send(mail: {
    readonly to: readonly string[];
    readonly subject: string;
    readonly text: string;
  }): Promise<void>;
}

interface AlertSenderDeps {
  readonly destinations: Pick<AlertDestinationStore, "find">;
  readonly links: AnswerReader;
  /** Undefined if no mail server is configured. */
  readonly mailer: AlertMailer | undefined;
  readonly clock: Clock;
}

/** The result of one attempt. */
interface Sent {
  readonly isDelivered: boolean;
  /** HTTP status; undefined for e-mail and if nothing answered. */
  readonly status?: number;
  /** The begin of the destination's answer. */
  readonly answer?: string;
  /** In our own terms. */
  readonly error?: string;
}

const GONE = 410;
const MAX_ANSWER_CHARS = 500;

/** Sends messages about alerts to their destinations. */
export class AlertSender {
  readonly #deps: AlertSenderDeps;

  constructor(deps: AlertSenderDeps) {
    this.#deps = deps;
  }

  /** Undefined if the destination took it. */
  async deliver({
    id,
    destinationId = 0,
    body,
  }: WebhookDelivery): Promise<DeliveryFailure | undefined> {
    const destination = await this.#deps.destinations.find(destinationId);
    if (destination === undefined) return final("The destination was deleted.");
    if (!destination.isEnabled) return final("The destination is disabled.");
    const message = readMessage(body);
    if (message === undefined) return final("This version cannot read the message.");
    const sent = await this.send(destination, id, message);
    if (sent.isDelivered) return undefined;
    const { error: lastError = "It failed.", status } = sent;
    return { lastError, isFinal: status === GONE, ...defined({ status }) };
  }

  /** `id`: the same for each attempt. Never throws. */
  async send(destination: AlertDestination, id: string, message: AlertMessage): Promise<Sent> {
    try {
      if (destination.kind === "email") return await this.#mail(destination, message);
      return await this.#post(destination, destination.kind, id, message);
    } catch (cause) {
      return { isDelivered: false, error: GatewayError.from(cause).message };
    }
  }

  async #post(
    { address }: AlertDestination,
    kind: keyof typeof FORMATS,
    id: string,
    message: AlertMessage,
  ): Promise<Sent> {
    const { url } = address ?? {};
    if (address === undefined || url === undefined) return unreadable();
    const format = FORMATS[kind];
    const now = this.#deps.clock.now();
    const request = format.write(message, { id, now, address: { ...address, url } });
    const { status, text } = await this.#deps.links.postForAnswer(
      request.url,
      request.body,
      request.headers,
    );
    const answer = text.slice(0, MAX_ANSWER_CHARS);
    const error =
      status >= 200 && status < 300
        ? format.refusal?.(answerOf(text))
        : `It answered with status ${status}.`;
    const refused = error === undefined ? {} : { error: error.slice(0, MAX_ANSWER_CHARS) };
    return { isDelivered: error === undefined, status, answer, ...refused };
  }

  async #mail({ address }: AlertDestination, message: AlertMessage): Promise<Sent> {
    const { mailer } = this.#deps;
    if (address?.to === undefined) return unreadable();
    if (mailer === undefined) {
      return { isDelivered: false, error: "No mail server is configured." };
    }
    await mailer.send({
      to: address.to,
      subject: titleOf(message),
      text: `${plainText(message)}\n`,
    });
    return { isDelivered: true };
  }
}

function unreadable(): Sent {
  return {
    isDelivered: false,
    error: "The address of the destination cannot be decrypted. Set it again.",
  };
}

function final(lastError: string): DeliveryFailure {
  return { lastError, isFinal: true };
}
