import { useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { CreateButton } from "../../ui/create-button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { count } from "../../ui/format.ts";
import { Empty, Page as PageFrame } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Table, type Column } from "../../ui/table.tsx";
import { At } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { useFields } from "../../ui/use-fields.ts";
import { pageIn, PAGE_SIZE, type AssetGroup } from "./asset.ts";
import { Pager } from "./pager.tsx";
import { ASSET_TEXTS } from "./texts.ts";

/** The user's groups of assets. A row leads to the assets in it. */
export function GroupList({ tabs }: { readonly tabs: ReactNode }) {
  const t = useTexts(ASSET_TEXTS);
  const [params] = useQueryState();
  const [form, setForm] = useState<"new" | AssetGroup>();
  const query = { p: pageIn(params), page_size: PAGE_SIZE };
  const groups = hooks.useQuery("get", "/api/asset/self/group", { params: { query } });
  const columns: readonly Column<AssetGroup>[] = [
    { name: "name", label: t.name, width: "13rem", cell: ({ name }) => name },
    {
      name: "kind",
      label: t.kind,
      width: "8rem",
      cell: ({ kind }) => (
        <Badge tone={kind === "identity" ? "info" : "neutral"}>{t.kinds[kind]}</Badge>
      ),
    },
    {
      name: "count",
      label: t.count,
      align: "end",
      width: "6rem",
      cell: ({ assets }) => count(assets),
    },
    {
      name: "place",
      label: t.place,
      width: "10rem",
      from: "sm",
      cell: ({ channel }) => (channel === null ? t.gateway : t.channel(channel)),
    },
    { name: "description", label: t.description, from: "lg", cell: (group) => group.description },
    {
      name: "created",
      label: t.created,
      width: "9rem",
      from: "sm",
      cell: (group) => <At at={group.created_at} />,
    },
    {
      name: "actions",
      label: "",
      width: "7rem",
      cell: (group) => (
        <Button look="quiet" className="h-7" onClick={() => setForm(group)}>
          {t.rename}
        </Button>
      ),
    },
  ];
  return (
    <PageFrame
      title={t.title}
      equal={{ path: "/api/asset/self/group", query }}
      actions={<CreateButton onClick={() => setForm("new")}>{t.newGroup}</CreateButton>}
    >
      {tabs}
      {groups.error !== null && (
        <Problem error={groups.error} onRetry={() => void groups.refetch()} />
      )}
      <Table
        label={t.groupsLabel}
        columns={columns}
        rows={groups.data?.data.items}
        rowKey={({ id }) => id}
        href={({ id }) => `/assets?group=${encodeURIComponent(id)}`}
        empty={
          <Empty title={t.noGroups}>
            <p>{t.noGroupsHint}</p>
          </Empty>
        }
      />
      <Pager total={groups.data?.data.total} />
      {form === "new" && <NewGroup onClose={() => setForm(undefined)} />}
      {form !== undefined && form !== "new" && (
        <RenameGroup group={form} onClose={() => setForm(undefined)} />
      )}
    </PageFrame>
  );
}

interface Closing {
  readonly onClose: () => void;
}

function useDone(onClose: () => void, text: string) {
  const client = useQueryClient();
  return {
    onSuccess() {
      toast(text);
      void client.invalidateQueries({ queryKey: ["get", "/api/asset/self/group"] });
      onClose();
    },
    onError: () => undefined,
  };
}

function NewGroup({ onClose }: Closing) {
  const t = useTexts(ASSET_TEXTS);
  const [form, field] = useFields({ name: "", description: "", place: "vendor" });
  const create = hooks.useMutation("post", "/api/asset/self/group", useDone(onClose, t.groupMade));
  return (
    <FormDialog
      title={t.newGroup}
      action={t.newGroup}
      error={create.error}
      busy={create.isPending}
      onClose={onClose}
      onSave={() =>
        create.mutate({
          body: {
            name: form.name.trim(),
            description: form.description.trim(),
            place: form.place === "gateway" ? "gateway" : "vendor",
          },
        })
      }
    >
      <TextField label={t.name} required autoFocus maxLength={64} {...field("name")} />
      <TextField label={t.description} maxLength={300} {...field("description")} />
      <SelectField
        label={t.place}
        choices={(["vendor", "gateway"] as const).map((value) => ({
          value,
          label: t.places[value],
        }))}
        {...field("place")}
      />
    </FormDialog>
  );
}

function RenameGroup({ group, onClose }: Closing & { readonly group: AssetGroup }) {
  const t = useTexts(ASSET_TEXTS);
  const [form, field] = useFields({ name: group.name });
  const rename = hooks.useMutation(
    "put",
    "/api/asset/self/group/{id}",
    useDone(onClose, t.renamed),
  );
  return (
    <FormDialog
      title={t.rename}
      action={t.rename}
      error={rename.error}
      busy={rename.isPending}
      onClose={onClose}
      onSave={() =>
        rename.mutate({ params: { path: { id: group.id } }, body: { name: form.name.trim() } })
      }
    >
      <TextField label={t.name} required autoFocus maxLength={64} {...field("name")} />
    </FormDialog>
  );
}
