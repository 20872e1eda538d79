import { useState } from "react";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/problem.tsx";
import { LOGIN_TEXTS } from "./texts.ts";

interface MailFormProps {
  readonly hint?: string;
  /** Shown in its place, once the mail was asked for. */
  readonly sentText: (email: string) => string;
  readonly isSent: boolean;
  readonly error: unknown;
  readonly busy: boolean;
  readonly onSend: (email: string) => void;
}

/** Asks for an address, to which the gateway mails a link. */
export function MailForm({ hint, sentText, isSent, error, busy, onSend }: MailFormProps) {
  const t = useTexts(LOGIN_TEXTS);
  const [email, setEmail] = useState("");
  if (isSent)
    return (
      <p role="status" className="text-sm">
        {sentText(email)}
      </p>
    );
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        onSend(email);
      }}
    >
      <TextField
        label={t.email}
        hint={hint}
        name="email"
        type="email"
        autoComplete="email"
        autoFocus
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      {error !== null && <Problem error={error} />}
      <Button type="submit" look="main" busy={busy}>
        {t.sendLink}
      </Button>
    </form>
  );
}
