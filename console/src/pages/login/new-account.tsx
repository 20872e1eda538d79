import { useState } from "react";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/problem.tsx";
import { LOGIN_TEXTS } from "./texts.ts";

export interface NewAccountFields {
  readonly username: string;
  readonly password: string;
  readonly display_name?: string;
}

/** The name and the password of a new account. */
export function NewAccount({
  error,
  busy,
  onSubmit,
}: {
  readonly error: unknown;
  readonly busy: boolean;
  readonly onSubmit: (fields: NewAccountFields) => void;
}) {
  const t = useTexts(LOGIN_TEXTS);
  const [username, setUsername] = useState("");
  const [displayName, setDisplayName] = useState("");
  const [password, setPassword] = useState("");
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        const display = displayName.trim();
        onSubmit({ username, password, ...(display === "" ? {} : { display_name: display }) });
      }}
    >
      <TextField
        label={t.username}
        hint={t.usernameHint}
        name="username"
        autoComplete="username"
        autoFocus
        required
        maxLength={64}
        value={username}
        onChange={(event) => setUsername(event.target.value)}
      />
      <TextField
        label={t.displayName}
        name="display_name"
        autoComplete="name"
        maxLength={100}
        value={displayName}
        onChange={(event) => setDisplayName(event.target.value)}
      />
      <TextField
        label={t.newPassword}
        hint={t.passwordHint}
        name="password"
        type="password"
        autoComplete="new-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {error !== null && <Problem error={error} />}
      <Button type="submit" look="main" busy={busy}>
        {t.createAccount}
      </Button>
    </form>
  );
}
