import { useEffect, useState } from "react";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { exactTime } from "../../ui/format.ts";
import { Problem } from "../../ui/problem.tsx";
import { Entrance, LoginLink } from "./entrance.tsx";
import { useEntered } from "./entered.ts";
import { NewAccount } from "./new-account.tsx";
import { linkSecret } from "./secret.ts";
import { LOGIN_TEXTS } from "./texts.ts";

/** Accepts an invitation, by a new password or by single sign-on. */
export function Invitation() {
  const t = useTexts(LOGIN_TEXTS);
  const [token] = useState(linkSecret);
  const enter = useEntered();
  const { mutate: check, ...checked } = hooks.useMutation("post", "/api/user/invitation/check", {
    onError: () => undefined,
  });
  useEffect(() => check({ body: { token } }), [check, token]);
  const accept = hooks.useMutation("post", "/api/user/invitation/accept", {
    onSuccess: ({ data }) => enter(data),
    onError: () => undefined,
  });
  const signOn = hooks.useMutation("post", "/api/user/invitation/sign-on", {
    onSuccess: ({ data }) => location.assign(data.url),
    onError: () => undefined,
  });
  const invitation = checked.data?.data;
  const hint =
    invitation === undefined
      ? ""
      : t.invitedBy(invitation.invited_by, exactTime(invitation.expires_at));
  return (
    <Entrance title={t.invitationTitle} hint={hint}>
      {checked.error !== null && <Problem error={checked.error} />}
      {invitation !== undefined && (
        <>
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
            <Fact name={t.role} value={t.roles[invitation.role]} />
            {invitation.team !== null && <Fact name={t.team} value={invitation.team} />}
            {invitation.email !== null && <Fact name={t.email} value={invitation.email} />}
          </dl>
          {invitation.single_sign_on !== null && (
            <>
              {signOn.error !== null && <Problem error={signOn.error} />}
              <Button busy={signOn.isPending} onClick={() => signOn.mutate({ body: { token } })}>
                {invitation.single_sign_on}
              </Button>
            </>
          )}
          <NewAccount
            error={accept.error}
            busy={accept.isPending}
            onSubmit={(fields) => accept.mutate({ body: { token, ...fields } })}
          />
        </>
      )}
      <LoginLink />
    </Entrance>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{value}</dd>
    </>
  );
}
