import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { SecondFactor } from "../../app/second-factor.tsx";
import { useUser } from "../../app/user.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { money } from "../../ui/format.ts";
import { Page as PageFrame, Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { AccessTokens } from "./access-tokens.tsx";
import { Sessions } from "./sessions.tsx";
import { ACCOUNT_TEXTS } from "./texts.ts";

/** The user's own account: name, address, ways to log in, and a code to redeem. */
export function Page() {
  const t = useTexts(ACCOUNT_TEXTS);
  return (
    <PageFrame
      title={t.title}
      equal={{ path: "/api/user/self" }}
      command="curl $SLUICE_URL/api/user/self"
    >
      <div className="flex max-w-3xl flex-col gap-6">
        <Profile />
        <Password />
        <Factor />
        <Sessions />
        <AccessTokens />
        <Redeem />
      </div>
    </PageFrame>
  );
}

function useRefresh(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: ["get", "/api/user/self"] });
}

function Profile() {
  const t = useTexts(ACCOUNT_TEXTS);
  const user = useUser();
  const refresh = useRefresh();
  const [name, setName] = useState(user.display_name);
  const [email, setEmail] = useState(user.email ?? "");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const isNewEmail = email !== (user.email ?? "");
  const update = hooks.useMutation("put", "/api/user/self", {
    onSuccess({ message }) {
      setPassword("");
      setCode("");
      toast(message);
      refresh();
    },
    onError: () => undefined,
  });
  return (
    <Section title={t.profile}>
      <form
        className="grid grid-cols-1 gap-3 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          update.mutate({
            body: {
              ...(name.trim() === user.display_name ? {} : { display_name: name.trim() }),
              ...(isNewEmail ? { email, current_password: password } : {}),
              ...(isNewEmail && code !== "" ? { code } : {}),
            },
          });
        }}
      >
        <TextField
          label={t.displayName}
          required
          maxLength={100}
          autoComplete="name"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label={t.email}
          type="email"
          autoComplete="email"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        {isNewEmail && (
          <>
            <TextField
              label={t.current}
              hint={t.emailHint}
              type="password"
              autoComplete="current-password"
              required
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
            {user.second_factor && (
              <TextField
                label={t.code}
                autoComplete="one-time-code"
                required
                value={code}
                onChange={(event) => setCode(event.target.value)}
              />
            )}
          </>
        )}
        {update.error !== null && (
          <div className="sm:col-span-2">
            <Problem error={update.error} />
          </div>
        )}
        <Button type="submit" className="justify-self-start" busy={update.isPending}>
          {t.save}
        </Button>
      </form>
    </Section>
  );
}

function Password() {
  const t = useTexts(ACCOUNT_TEXTS);
  const refresh = useRefresh();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const update = hooks.useMutation("put", "/api/user/self", {
    onSuccess() {
      setCurrent("");
      setNext("");
      toast(t.passwordChanged);
      refresh();
    },
    onError: () => undefined,
  });
  return (
    <Section title={t.password}>
      <form
        className="grid grid-cols-1 gap-3 sm:grid-cols-2"
        onSubmit={(event) => {
          event.preventDefault();
          update.mutate({ body: { password: next, current_password: current } });
        }}
      >
        <TextField
          label={t.current}
          type="password"
          autoComplete="current-password"
          required
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
        <TextField
          label={t.newPassword}
          hint={t.passwordHint}
          type="password"
          autoComplete="new-password"
          required
          value={next}
          onChange={(event) => setNext(event.target.value)}
        />
        {update.error !== null && (
          <div className="sm:col-span-2">
            <Problem error={update.error} />
          </div>
        )}
        <Button type="submit" className="justify-self-start" busy={update.isPending}>
          {t.changePassword}
        </Button>
      </form>
    </Section>
  );
}

function Factor() {
  const t = useTexts(ACCOUNT_TEXTS);
  const { second_factor: hasOne } = useUser();
  const refresh = useRefresh();
  const [open, setOpen] = useState<"set" | "remove">();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const remove = hooks.useMutation("delete", "/api/user/self/second-factor", {
    onSuccess() {
      setOpen(undefined);
      refresh();
    },
    onError: () => undefined,
  });
  return (
    <Section title={t.factor}>
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={hasOne ? "good" : "warn"}>{hasOne ? t.factorOn : t.factorOff}</Badge>
        <Button onClick={() => setOpen("set")}>{hasOne ? t.factorReplace : t.factorSet}</Button>
        {hasOne && (
          <Button look="danger" onClick={() => setOpen("remove")}>
            {t.factorRemove}
          </Button>
        )}
      </div>
      {open === "set" && (
        <Dialog title={t.factor} onClose={() => setOpen(undefined)}>
          <SecondFactor
            hasOne={hasOne}
            onDone={() => {
              setOpen(undefined);
              refresh();
            }}
          />
        </Dialog>
      )}
      {open === "remove" && (
        <Confirm
          title={t.factorRemove}
          action={t.factorRemove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ body: { password, code } })}
          onClose={() => setOpen(undefined)}
        >
          <div className="flex flex-col gap-3">
            <p>{t.factorRemoveHint}</p>
            <TextField
              label={t.current}
              type="password"
              autoComplete="current-password"
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
            <TextField
              label={t.code}
              autoComplete="one-time-code"
              value={code}
              onChange={(event) => setCode(event.target.value)}
            />
            {remove.error !== null && <Problem error={remove.error} />}
          </div>
        </Confirm>
      )}
    </Section>
  );
}

function Redeem() {
  const t = useTexts(ACCOUNT_TEXTS);
  const [code, setCode] = useState("");
  const redeem = hooks.useMutation("post", "/api/user/self/quota/redeem", {
    onSuccess({ data }) {
      setCode("");
      toast(t.redeemed(money(data.added_usd), money(data.quota_usd)));
    },
    onError: () => undefined,
  });
  return (
    <Section title={t.redeem}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          redeem.mutate({ body: { code: code.trim() } });
        }}
      >
        <TextField
          label={t.redemptionCode}
          hint={t.redeemHint}
          required
          maxLength={64}
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
        {redeem.error !== null && <Problem error={redeem.error} />}
        <Button type="submit" className="self-start" busy={redeem.isPending}>
          {t.redeem}
        </Button>
      </form>
    </Section>
  );
}
