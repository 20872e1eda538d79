import { useState } from "react";
import { Link } from "wouter";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { money } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { toast } from "../../ui/toast.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { USER_TEXTS } from "./texts.ts";
import { Access } from "./access.tsx";
import { UserSessions } from "./user-sessions.tsx";
import { UserBudgets } from "./user-budgets.tsx";
import { rolesBelow, useNames, useRefreshedUsers, type ListedUser } from "./user.ts";

interface UserDrawerProps {
  readonly user: ListedUser;
  readonly onClose: () => void;
}

/** One user: spending, place, and changes by who stands above. */
export function UserDrawer({ user, onClose }: UserDrawerProps) {
  const t = useTexts(USER_TEXTS);
  const own = useUser();
  const isBelow = isAtLeast(own.role, "admin") && rolesBelow(own.role).includes(user.role);
  const mayPay = isBelow || (own.role === "root" && own.id === user.id);
  const facts = [
    [t.email, user.email ?? "–"],
    [t.displayName, user.display_name],
    [t.secondFactor, user.second_factor ? t.yes : t.no],
    [t.today, money(user.used_day_usd)],
    [t.month, money(user.used_month_usd)],
    [t.total, money(user.used_usd)],
    [t.quota, user.quota_usd === null ? t.unlimited : money(user.quota_usd)],
    [t.left, user.left_usd === null ? t.unlimited : money(user.left_usd)],
  ] as const;
  return (
    <Dialog shape="drawer" title={user.username} onClose={onClose}>
      <div className="flex flex-col gap-5">
        <p className="flex gap-4 text-sm">
          <Link href={`/logs?user=${user.id}`} className="text-accent hover:underline">
            {t.calls}
          </Link>
          {isBelow && (
            <Link href={`/keys?user=${user.id}`} className="text-accent hover:underline">
              {t.itsKeys}
            </Link>
          )}
          {user.team_id !== null && (
            <Link href={`/teams?team=${user.team_id}`} className="text-accent hover:underline">
              {t.itsTeam}
            </Link>
          )}
        </p>
        <dl className="grid grid-cols-1 gap-x-6 gap-y-1 text-sm sm:grid-cols-2">
          {facts.map(([label, value]) => (
            <div key={label} className="flex min-w-0 gap-2">
              <dt className="text-muted w-36 shrink-0">{label}</dt>
              <dd className="figures min-w-0 truncate" title={value}>
                {value}
              </dd>
            </div>
          ))}
        </dl>
        <UserBudgets user={user} mayChange={mayPay} />
        {mayPay && <TopUp user={user} />}
        {isBelow && <Change user={user} />}
        {isBelow && user.kind === "person" && <UserSessions id={user.id} />}
        {isBelow && <Access user={user} onRemoved={onClose} />}
      </div>
    </Dialog>
  );
}

function Change({ user }: { readonly user: ListedUser }) {
  const t = useTexts(USER_TEXTS);
  const own = useUser().role;
  const { teams, groups } = useNames();
  const refresh = useRefreshedUsers();
  const [form, field] = useFields({
    email: user.email ?? "",
    display: user.display_name,
    role: user.role,
    team: String(user.team_id ?? ""),
    group: String(user.group_id ?? ""),
  });
  const update = hooks.useMutation("put", "/api/user/{id}", {
    onSuccess() {
      toast(t.saved);
      refresh();
    },
    onError: () => undefined,
  });
  const choices = (names: ReadonlyMap<number, string>, chosen: number | null) => [
    { value: "", label: t.none },
    ...[...names].map(([id, label]) => ({ value: String(id), label })),
    ...(chosen === null || names.has(chosen)
      ? []
      : [{ value: String(chosen), label: String(chosen) }]),
  ];
  const save = (): void =>
    update.mutate({
      params: { path: { id: String(user.id) } },
      body: {
        ...(form.email.trim() === (user.email ?? "") ? {} : { email: form.email.trim() || null }),
        ...(form.display.trim() === user.display_name ? {} : { display_name: form.display.trim() }),
        ...(form.role === user.role ? {} : { role: form.role }),
        ...(form.team === String(user.team_id ?? "")
          ? {}
          : { team_id: form.team === "" ? null : Number(form.team) }),
        ...(form.group === String(user.group_id ?? "")
          ? {}
          : { group_id: form.group === "" ? null : Number(form.group) }),
      },
    });
  return (
    <Section title={t.place}>
      <form
        className="grid grid-cols-1 items-end gap-3 sm:grid-cols-3"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        {user.kind === "person" && <TextField label={t.email} type="email" {...field("email")} />}
        <TextField label={t.displayName} required maxLength={100} {...field("display")} />
        <SelectField
          label={t.role}
          choices={rolesBelow(own).map((value) => ({ value, label: t.roles[value] }))}
          {...field("role")}
        />
        <SelectField label={t.team} choices={choices(teams, user.team_id)} {...field("team")} />
        <SelectField label={t.group} choices={choices(groups, user.group_id)} {...field("group")} />
        <Button type="submit" className="justify-self-start" busy={update.isPending}>
          {t.save}
        </Button>
      </form>
      {update.error !== null && <Problem error={update.error} />}
    </Section>
  );
}

function TopUp({ user }: { readonly user: ListedUser }) {
  const t = useTexts(USER_TEXTS);
  const refresh = useRefreshedUsers();
  const [amount, setAmount] = useState("");
  const [note, setNote] = useState("");
  const [operation, setOperation] = useState(() => crypto.randomUUID());
  const topUp = hooks.useMutation("post", "/api/user/{id}/quota", {
    onSuccess({ data }) {
      setAmount("");
      setNote("");
      setOperation(crypto.randomUUID());
      toast(t.toppedUp(money(data.quota_usd)));
      refresh();
    },
    onError: () => undefined,
  });
  return (
    <Section title={t.topUp}>
      {user.quota_usd === null && <p className="text-muted text-sm">{t.topUpUnlimited}</p>}
      <form
        className="grid grid-cols-1 items-end gap-3 sm:grid-cols-[10rem_1fr_auto]"
        onSubmit={(event) => {
          event.preventDefault();
          topUp.mutate({
            params: { path: { id: String(user.id) } },
            body: { add_usd: amount, note, operation },
          });
        }}
      >
        <TextField
          label={t.amount}
          inputMode="decimal"
          required
          value={amount}
          onChange={(event) => setAmount(event.target.value)}
        />
        <TextField
          label={t.reason}
          required
          maxLength={500}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
        <Button type="submit" busy={topUp.isPending}>
          {t.topUp}
        </Button>
      </form>
      {topUp.error !== null && <Problem error={topUp.error} />}
    </Section>
  );
}
