import { useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import { hooks, type Schemas } from "../../api/client.ts";
import { PAGES_BY_ID } from "../../api/pages-by-id.ts";
import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { EditAndRemove } from "../../ui/edit-and-remove.tsx";
import { count, money } from "../../ui/format.ts";
import { Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Table, type Column } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { GroupForm } from "./group-form.tsx";
import { LIMIT_NAMES, SHOWN_RATES, type Group } from "./group.ts";
import { GROUP_TEXTS } from "./texts.ts";

interface GroupDrawerProps {
  readonly group: Group;
  readonly onClose: () => void;
}

/** One group: the models, prices and limits that it gives, and its users. */
export function GroupDrawer({ group, onClose }: GroupDrawerProps) {
  const t = useTexts(GROUP_TEXTS);
  const mayChange = isAtLeast(useUser().role, "admin");
  const limit = (value: number | null, none: string) => (value === null ? none : count(value));
  const facts = [
    [t.models, group.models?.join(", ") ?? t.all],
    [t.channels, group.channels?.join(", ") ?? t.all],
    [t.factor, group.price_factor],
    [t.contentLog, group.content_log === null ? t.usual : t.levels[group.content_log]],
  ] as const;
  return (
    <Dialog shape="drawer" title={group.name} onClose={onClose}>
      <div className="flex flex-col gap-5">
        {mayChange && <Actions group={group} onClose={onClose} />}
        <dl className="grid grid-cols-1 gap-y-1 text-sm">
          {facts.map(([label, value]) => (
            <div key={label} className="flex min-w-0 gap-2">
              <dt className="text-muted w-36 shrink-0">{label}</dt>
              <dd className="figures min-w-0 break-words">{value}</dd>
            </div>
          ))}
        </dl>
        <Section title={t.prices}>
          <Prices prices={group.prices} />
        </Section>
        <div className="grid grid-cols-1 gap-5 sm:grid-cols-2">
          {(["", "shared_"] as const).map((prefix) => (
            <Section key={prefix} title={prefix === "" ? t.each : t.together}>
              <dl className="flex flex-col gap-1 text-sm">
                {LIMIT_NAMES.map((name) => (
                  <div key={name} className="flex gap-2">
                    <dt className="text-muted w-36 shrink-0">{t[name]}</dt>
                    <dd className="figures">
                      {limit(group[`${prefix}${name}`], prefix === "" ? t.usual : t.unlimited)}
                    </dd>
                  </div>
                ))}
              </dl>
            </Section>
          ))}
        </div>
        <Users id={group.id} />
      </div>
    </Dialog>
  );
}

function Prices({ prices }: Pick<Group, "prices">) {
  const t = useTexts(GROUP_TEXTS);
  const rows = Object.entries(prices);
  return (
    <Table
      label={t.prices}
      rows={rows}
      rowKey={([model]) => model}
      empty={<p className="text-muted text-sm">{t.noPrices}</p>}
      columns={[
        { name: "model", label: t.model, cell: ([model]) => model },
        ...SHOWN_RATES.map((rate): Column<(typeof rows)[number]> => ({
          name: rate,
          label: t.rates[rate],
          align: "end",
          width: "6.5rem",
          cell: ([, price]) => money(price[rate]),
        })),
      ]}
    />
  );
}

function Actions({ group, onClose }: GroupDrawerProps) {
  const t = useTexts(GROUP_TEXTS);
  const client = useQueryClient();
  const path = { id: String(group.id) };
  const refresh = (): void => void client.invalidateQueries({ queryKey: ["get", "/api/group"] });
  const update = hooks.useMutation("put", "/api/group/{id}", {
    onSuccess() {
      toast(t.saved);
      refresh();
    },
    onError: () => undefined,
  });
  const remove = hooks.useMutation("delete", "/api/group/{id}", {
    onSuccess() {
      toast(t.removed(group.name));
      refresh();
      onClose();
    },
    onError: () => undefined,
  });
  return (
    <EditAndRemove
      texts={{ ...t, removeTitle: t.removeTitle(group.name) }}
      form={(close) => (
        <GroupForm
          group={group}
          error={update.error}
          busy={update.isPending}
          onSave={(body) => update.mutate({ params: { path }, body }, { onSuccess: close })}
          onClose={close}
        />
      )}
      removing={remove}
      onRemove={() => remove.mutate({ params: { path } })}
    />
  );
}

function Users({ id }: { readonly id: number }) {
  const t = useTexts(GROUP_TEXTS);
  const users = hooks.useInfiniteQuery(
    "get",
    "/api/user",
    { params: { query: { group: id } } },
    PAGES_BY_ID,
  );
  const columns: readonly Column<Schemas["ListedUser"]>[] = [
    {
      name: "name",
      label: t.name,
      cell: (user) => (
        <Link href={`/users?group=${id}&user=${user.id}`} className="text-accent hover:underline">
          {user.username}
        </Link>
      ),
    },
    {
      name: "month",
      label: t.month,
      align: "end",
      width: "9rem",
      cell: ({ used_month_usd }) => money(used_month_usd),
    },
  ];
  return (
    <Section
      title={t.users}
      actions={
        <Link
          href={`/users?group=${id}`}
          className="text-accent inline-flex min-h-6 items-center text-sm hover:underline"
        >
          {t.manageUsers}
        </Link>
      }
    >
      {users.error !== null && <Problem error={users.error} />}
      <Table
        label={t.users}
        columns={columns}
        rows={users.data?.pages.flatMap(({ data }) => data.items)}
        rowKey={(user) => user.id}
        empty={<p className="text-muted text-sm">{t.noUsers}</p>}
        more={users}
      />
    </Section>
  );
}
