import { lazy, Suspense, useState } from "react";
import { hooks } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { Code } from "../ui/copy.tsx";
import { TextField } from "../ui/field.tsx";
import { Problem } from "../ui/problem.tsx";
import { messages, useTexts } from "./language.ts";

const Picture = lazy(async () => ({ default: (await import("./qr-picture.tsx")).QrPicture }));

interface Secret {
  readonly secret: string;
  readonly uri: string;
}

/** Sets up a second factor: proof, secret with its first code, recovery codes once. */
export function SecondFactor({
  hasOne,
  onDone,
}: {
  /** The account has one already, which proves the change. */
  readonly hasOne: boolean;
  readonly onDone: () => void;
}) {
  const [secret, setSecret] = useState<Secret>();
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes !== undefined) return <RecoveryCodes codes={codes} onDone={onDone} />;
  if (secret !== undefined) return <FirstCode secret={secret} onCodes={setCodes} />;
  return <Proof hasOne={hasOne} onSecret={setSecret} />;
}

function Proof({
  hasOne,
  onSecret,
}: {
  readonly hasOne: boolean;
  readonly onSecret: (secret: Secret) => void;
}) {
  const t = useTexts(TEXTS);
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const begin = hooks.useMutation("post", "/api/user/self/second-factor", {
    onSuccess: ({ data }) => onSecret(data),
    onError: () => undefined,
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        begin.mutate({
          body: { ...(password === "" ? {} : { password }), ...(code === "" ? {} : { code }) },
        });
      }}
    >
      <TextField
        label={t.password}
        hint={t.passwordHint}
        type="password"
        name="password"
        autoComplete="current-password"
        autoFocus
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {hasOne && (
        <TextField
          label={t.currentCode}
          name="code"
          autoComplete="one-time-code"
          required
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
      )}
      {begin.error !== null && <Problem error={begin.error} />}
      <Button type="submit" look="main" className="self-start" busy={begin.isPending}>
        {t.begin}
      </Button>
    </form>
  );
}

function FirstCode({
  secret,
  onCodes,
}: {
  readonly secret: Secret;
  readonly onCodes: (codes: readonly string[]) => void;
}) {
  const t = useTexts(TEXTS);
  const [code, setCode] = useState("");
  const confirm = hooks.useMutation("post", "/api/user/self/second-factor/confirm", {
    onSuccess: ({ data }) => onCodes(data.recovery_codes),
    onError: () => undefined,
  });
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        confirm.mutate({ body: { code: code.replaceAll(" ", "") } });
      }}
    >
      <p className="text-sm">{t.scan}</p>
      <Suspense fallback={<div className="skeleton size-44" />}>
        <Picture text={secret.uri} label={t.picture} />
      </Suspense>
      <Code text={secret.secret} label={t.secret} />
      <TextField
        label={t.firstCode}
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        required
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      {confirm.error !== null && <Problem error={confirm.error} />}
      <Button type="submit" look="main" className="self-start" busy={confirm.isPending}>
        {t.confirm}
      </Button>
    </form>
  );
}

function RecoveryCodes({
  codes,
  onDone,
}: {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}) {
  const t = useTexts(TEXTS);
  return (
    <div className="flex flex-col gap-3">
      <p className="text-warn text-sm">{t.recoveryHint}</p>
      <Code text={codes.join("\n")} label={t.recovery} />
      <Button look="main" className="self-start" onClick={onDone}>
        {t.stored}
      </Button>
    </div>
  );
}

const TEXTS = messages(
  {
    password: "Your password",
    passwordHint: "Leave it empty if you log in by single sign-on alone.",
    currentCode: "Code of the present second factor",
    begin: "Continue",
    scan: "Scan the picture with your authenticator, or type the secret into it.",
    picture: "The secret as a QR code",
    secret: "Secret",
    firstCode: "The code that it shows",
    confirm: "Confirm",
    recovery: "Recovery codes",
    recoveryHint:
      "Each of these codes replaces your authenticator once. They do not show again: store them now.",
    stored: "I have stored them",
  },
  {
    password: "您的密码",
    passwordHint: "若只用单点登录，请留空。",
    currentCode: "当前第二因素的验证码",
    begin: "继续",
    scan: "用验证器扫描图片，或将密钥输入验证器。",
    picture: "密钥的二维码",
    secret: "密钥",
    firstCode: "验证器显示的验证码",
    confirm: "确认",
    recovery: "恢复代码",
    recoveryHint: "每个代码可替代验证器一次。它们不会再次显示，请立即保存。",
    stored: "我已保存",
  },
);
