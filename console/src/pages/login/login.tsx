import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { hooks } from "../../api/client.ts";
import { ApiError } from "../../api/error.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Entrance } from "./entrance.tsx";
import { LOGIN_TEXTS } from "./texts.ts";

interface LoginProps {
  /** `isSetUpNeeded`: the gateway requires a second factor first. */
  readonly onDone: (isSetUpNeeded: boolean) => void;
  /** Over a page whose session ended. */
  readonly isOver?: boolean;
}

/** Password, then the second factor if the account has one; or single sign-on. */
export function Login({ onDone, isOver = false }: LoginProps) {
  const t = useTexts(LOGIN_TEXTS);
  const client = useQueryClient();
  if (isOver)
    return (
      <Dialog title={t.title} onClose={() => undefined}>
        <p className="text-muted mb-3 text-sm">{t.ended}</p>
        <LoginForm onDone={onDone} />
      </Dialog>
    );
  return (
    <Entrance title={t.title} hint={t.subtitle}>
      <LoginForm
        onDone={(isSetUpNeeded) => void client.resetQueries().then(() => onDone(isSetUpNeeded))}
      />
    </Entrance>
  );
}

function LoginForm({ onDone }: Pick<LoginProps, "onDone">) {
  const t = useTexts(LOGIN_TEXTS);
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const login = hooks.useMutation("post", "/api/user/login", {
    onSuccess: ({ data }) => onDone(data.set_up !== undefined),
    onError: () => undefined,
  });
  const asksCode =
    login.error instanceof ApiError && login.error.data["second_factor"] !== undefined;
  const isFirstAsk = asksCode && code === "";
  const submit = (): void => {
    const account = name.includes("@") ? { email: name } : { username: name };
    login.mutate({ body: { ...account, password, ...(code === "" ? {} : { code }) } });
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextField
        label={t.name}
        name="username"
        autoComplete="username"
        autoFocus
        required
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        label={t.password}
        name="password"
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {(asksCode || code !== "") && (
        <TextField
          label={t.code}
          hint={t.codeHint}
          name="code"
          autoComplete="one-time-code"
          autoFocus
          required
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      )}
      {login.error !== null && !isFirstAsk && <Problem error={login.error} />}
      <Button type="submit" look="main" busy={login.isPending}>
        {t.submit}
      </Button>
      <OtherWays />
    </form>
  );
}

/** What else the gateway offers, in one request. */
function OtherWays() {
  const t = useTexts(LOGIN_TEXTS);
  const login = hooks.useQuery("get", "/api/user/login", {}, { retry: false, staleTime: Infinity });
  const ways = login.data?.data;
  if (ways === undefined) return null;
  const target = new URLSearchParams(location.search).get("next") ?? "/";
  return (
    <>
      {ways.single_sign_on !== null && (
        <a
          href={`/api/user/oidc/login?return_to=${encodeURIComponent(target)}`}
          className="border-line hover:bg-hover flex h-8 items-center justify-center rounded-md border text-sm font-medium"
        >
          {ways.single_sign_on}
        </a>
      )}
      <p className="flex flex-wrap justify-between gap-x-4 gap-y-1 text-sm empty:hidden">
        {ways.mail && (
          <Link href="/account/reset-password" className="text-accent hover:underline">
            {t.forgot}
          </Link>
        )}
        {ways.registration.mode !== "off" && (
          <Link href="/account/register" className="text-accent hover:underline">
            {t.register}
          </Link>
        )}
      </p>
    </>
  );
}
