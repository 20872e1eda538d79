import { useState } from "react";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Entrance, LoginLink } from "./entrance.tsx";
import { linkSecret } from "./secret.ts";
import { LOGIN_TEXTS } from "./texts.ts";

/** Takes a click: a mail scanner that opens the link must not change the address. */
export function ConfirmEmail() {
  const t = useTexts(LOGIN_TEXTS);
  const [token] = useState(linkSecret);
  const confirm = hooks.useMutation("post", "/api/user/email/confirm", {
    onError: () => undefined,
  });
  return (
    <Entrance title={t.emailTitle} hint={confirm.isSuccess ? "" : t.emailHint}>
      {confirm.error !== null && <Problem error={confirm.error} />}
      {confirm.isSuccess ? (
        <p role="status" className="text-sm">
          {t.emailChanged(confirm.data.data.email ?? "")}
        </p>
      ) : (
        <Button
          look="main"
          busy={confirm.isPending}
          onClick={() => confirm.mutate({ body: { token } })}
        >
          {t.confirmEmail}
        </Button>
      )}
      <LoginLink />
    </Entrance>
  );
}
