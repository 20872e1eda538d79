import { useState } from "react";
import { useLocation } from "wouter";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { Entrance, LoginLink } from "./entrance.tsx";
import { MailForm } from "./mail-form.tsx";
import { linkSecret } from "./secret.ts";
import { LOGIN_TEXTS } from "./texts.ts";

/** Sets a password by the secret of a mailed link; without one, asks for the mail. */
export function ResetPassword() {
  const t = useTexts(LOGIN_TEXTS);
  const [token] = useState(linkSecret);
  return (
    <Entrance title={t.resetTitle} hint={token === "" ? t.forgotHint : t.resetHint}>
      {token === "" ? <AskForMail /> : <NewPassword token={token} />}
      <LoginLink />
    </Entrance>
  );
}

function AskForMail() {
  const t = useTexts(LOGIN_TEXTS);
  const ask = hooks.useMutation("post", "/api/user/password/forgot", { onError: () => undefined });
  return (
    <MailForm
      sentText={t.resetSent}
      isSent={ask.isSuccess}
      error={ask.error}
      busy={ask.isPending}
      onSend={(email) => ask.mutate({ body: { email } })}
    />
  );
}

function NewPassword({ token }: { readonly token: string }) {
  const t = useTexts(LOGIN_TEXTS);
  const [, navigate] = useLocation();
  const [password, setPassword] = useState("");
  const reset = hooks.useMutation("post", "/api/user/password/reset", {
    onSuccess() {
      toast(t.resetDone);
      navigate("/login", { replace: true });
    },
    onError: () => undefined,
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        reset.mutate({ body: { token, password } });
      }}
    >
      <TextField
        label={t.newPassword}
        hint={t.passwordHint}
        name="password"
        type="password"
        autoComplete="new-password"
        autoFocus
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {reset.error !== null && <Problem error={reset.error} />}
      <Button type="submit" look="main" busy={reset.isPending}>
        {t.setPassword}
      </Button>
    </form>
  );
}
