import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { hooks, type Schemas } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Checkbox, TextField } from "../../ui/field.tsx";
import { Filters } from "../../ui/filters.tsx";
import { SearchInput } from "../../ui/search-input.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Table, type Column } from "../../ui/table.tsx";
import { toast } from "../../ui/toast.tsx";
import { SETTING_TEXTS } from "./texts.ts";

type Setting = Schemas["Setting"];

export function SettingValues() {
  const t = useTexts(SETTING_TEXTS);
  const [params, setParams] = useQueryState();
  const search = params.get("q") ?? "";
  const isOnlyChanged = params.get("changed") === "1";
  const settings = hooks.useQuery("get", "/api/setting");
  const [open, setOpen] = useState<Setting>();
  const wanted = search.toLowerCase();
  const shown = settings.data?.data.items.filter(
    ({ name, doc, variable, source }) =>
      (!isOnlyChanged || source !== "default") &&
      [name, doc, variable].some((text) => text.toLowerCase().includes(wanted)),
  );
  const columns: readonly Column<Setting>[] = [
    {
      name: "name",
      label: t.name,
      width: "16rem",
      cell: (setting) => (
        <button
          type="button"
          className="text-accent max-w-full truncate font-mono text-xs hover:underline"
          title={setting.doc}
          onClick={() => setOpen(setting)}
        >
          {setting.name}
        </button>
      ),
    },
    {
      name: "value",
      label: t.value,
      width: "14rem",
      cell: ({ value }) => <span className="font-mono text-xs">{value ?? t.unset}</span>,
    },
    {
      name: "source",
      label: t.source,
      width: "9rem",
      cell: ({ source, place }) => (
        <Badge tone={source === "default" ? "neutral" : "info"} title={place ?? undefined}>
          {t.sources[source]}
        </Badge>
      ),
    },
    {
      name: "doc",
      label: "",
      from: "lg",
      cell: ({ doc }) => (
        <span className="text-muted" title={doc}>
          {doc}
        </span>
      ),
    },
  ];
  return (
    <>
      <Filters>
        <SearchInput label={t.search} className="w-72" />
        <Checkbox
          label={t.onlyChanged}
          checked={isOnlyChanged}
          onChange={(event) => setParams({ changed: event.target.checked ? "1" : undefined })}
        />
      </Filters>
      {settings.error !== null && (
        <Problem error={settings.error} onRetry={() => void settings.refetch()} />
      )}
      <Table label={t.label} columns={columns} rows={shown} rowKey={({ name }) => name} fills />
      {open !== undefined && <EditSetting setting={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function EditSetting({
  setting,
  onClose,
}: {
  readonly setting: Setting;
  readonly onClose: () => void;
}) {
  const t = useTexts(SETTING_TEXTS);
  const client = useQueryClient();
  const [value, setValue] = useState(setting.stored ?? setting.value ?? "");
  const done = (message: string): void => {
    void client.invalidateQueries({ queryKey: ["get", "/api/setting"] });
    toast(message);
    onClose();
  };
  const put = hooks.useMutation("put", "/api/setting/{name}", {
    onSuccess: () => done(t.saved(setting.name)),
    onError: () => undefined,
  });
  const reset = hooks.useMutation("delete", "/api/setting/{name}", {
    onSuccess: () => done(t.wasReset(setting.name)),
  });
  const isFixed = setting.source === "environment" || setting.source === "file";
  const mayChange = setting.changes !== null && !isFixed;
  const path = { name: setting.name };
  return (
    <Dialog
      title={t.edit(setting.name)}
      onClose={onClose}
      actions={
        mayChange && (
          <>
            {setting.stored !== null && (
              <Button busy={reset.isPending} onClick={() => reset.mutate({ params: { path } })}>
                {t.reset}
              </Button>
            )}
            <Button look="main" type="submit" form="setting-form" busy={put.isPending}>
              {t.save}
            </Button>
          </>
        )
      }
    >
      <form
        id="setting-form"
        className="flex flex-col gap-3 text-sm"
        onSubmit={(event) => {
          event.preventDefault();
          put.mutate({ params: { path }, body: { value } });
        }}
      >
        <p>{setting.doc}</p>
        {put.error !== null && <Problem error={put.error} />}
        <TextField
          label={t.value}
          hint={`${t.takes}: ${setting.takes}`}
          disabled={!mayChange}
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
        <dl className="grid grid-cols-[8rem_1fr] gap-y-1">
          <dt className="text-muted">{t.variable}</dt>
          <dd className="font-mono text-xs break-all">{setting.variable}</dd>
          <dt className="text-muted">{t.sources.default}</dt>
          <dd className="font-mono text-xs break-all">{setting.default ?? t.unset}</dd>
          {setting.changes !== null && (
            <>
              <dt className="text-muted">{t.changes}</dt>
              <dd>{setting.changes}</dd>
            </>
          )}
        </dl>
        {isFixed && (
          <p className="text-warn">{t.fixed(setting.place ?? t.sources[setting.source])}</p>
        )}
        {!isFixed && setting.changes === null && <p className="text-muted">{t.restart}</p>}
      </form>
    </Dialog>
  );
}
