import { useState } from "react";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Entrance, LoginLink } from "./entrance.tsx";
import { useEntered } from "./entered.ts";
import { MailForm } from "./mail-form.tsx";
import { NewAccount } from "./new-account.tsx";
import { linkSecret } from "./secret.ts";
import { LOGIN_TEXTS } from "./texts.ts";

/** Registers by the secret of a mailed link; without one, begins as the gateway allows. */
export function Register() {
  const t = useTexts(LOGIN_TEXTS);
  const [token] = useState(linkSecret);
  if (token !== "")
    return (
      <Entrance title={t.registerTitle} hint={t.confirmHint}>
        <ByLink token={token} />
        <LoginLink />
      </Entrance>
    );
  return (
    <Entrance title={t.registerTitle} hint="">
      <Begin />
      <LoginLink />
    </Entrance>
  );
}

function ByLink({ token }: { readonly token: string }) {
  const enter = useEntered();
  const confirm = hooks.useMutation("post", "/api/user/register/confirm", {
    onSuccess: ({ data }) => enter(data),
    onError: () => undefined,
  });
  return (
    <NewAccount
      error={confirm.error}
      busy={confirm.isPending}
      onSubmit={(fields) => confirm.mutate({ body: { token, ...fields } })}
    />
  );
}

function Begin() {
  const t = useTexts(LOGIN_TEXTS);
  const login = hooks.useQuery("get", "/api/user/login", {}, { staleTime: Infinity });
  if (login.error !== null)
    return <Problem error={login.error} onRetry={() => void login.refetch()} />;
  const registration = login.data?.data.registration;
  if (registration === undefined) return null;
  if (registration.mode === "open") return <Open />;
  if (registration.mode === "mail") return <ByMail domains={registration.domains} />;
  return <p className="text-sm">{t.registrationOff}</p>;
}

function Open() {
  const t = useTexts(LOGIN_TEXTS);
  const enter = useEntered();
  const register = hooks.useMutation("post", "/api/user/register", { onError: () => undefined });
  const made = register.data?.data;
  if (made !== undefined)
    return (
      <div className="flex flex-col gap-3 text-sm">
        <p role="status">{t.registeredAs}</p>
        <code className="bg-bg rounded-md px-2.5 py-2 text-sm break-all">{made.username}</code>
        <Button look="main" onClick={() => void enter(made)}>
          {t.enter}
        </Button>
      </div>
    );
  return (
    <>
      <p className="text-muted text-sm">{t.openHint}</p>
      <NewAccount
        error={register.error}
        busy={register.isPending}
        onSubmit={(fields) => register.mutate({ body: fields })}
      />
    </>
  );
}

function ByMail({ domains }: { readonly domains: readonly string[] }) {
  const t = useTexts(LOGIN_TEXTS);
  const send = hooks.useMutation("post", "/api/user/register/mail", { onError: () => undefined });
  return (
    <MailForm
      hint={domains.length === 0 ? t.mailHint : t.domainsHint(domains.join(", "))}
      sentText={t.linkSent}
      isSent={send.isSuccess}
      error={send.error}
      busy={send.isPending}
      onSend={(email) => send.mutate({ body: { email } })}
    />
  );
}
