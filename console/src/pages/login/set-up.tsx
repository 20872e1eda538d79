import { useState } from "react";
import { useLocation } from "wouter";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { Entrance } from "./entrance.tsx";
import { linkSecret } from "./secret.ts";
import { LOGIN_TEXTS } from "./texts.ts";

/** The first login, with the token of the link that the gateway printed. */
export function SetUp() {
  const t = useTexts(LOGIN_TEXTS);
  const [, navigate] = useLocation();
  const [token, setToken] = useState(linkSecret);
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const login = hooks.useMutation("post", "/api/user/login", {
    onSuccess: () => navigate("/", { replace: true }),
  });
  const setUp = hooks.useMutation("post", "/api/user/setup", {
    onSuccess() {
      toast(t.done);
      login.mutate({ body: { email, password } });
    },
    onError: () => undefined,
  });
  return (
    <Entrance title={t.setUpTitle} hint={t.setUpHint}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          setUp.mutate({ body: { token, email, password } });
        }}
      >
        <TextField
          label={t.token}
          required
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
        <TextField
          label={t.email}
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <TextField
          label={t.newPassword}
          hint={t.passwordHint}
          type="password"
          autoComplete="new-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {setUp.error !== null && <Problem error={setUp.error} />}
        <Button type="submit" look="main" busy={setUp.isPending || login.isPending}>
          {t.setUp}
        </Button>
      </form>
    </Entrance>
  );
}
