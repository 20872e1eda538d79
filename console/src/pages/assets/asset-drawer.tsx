import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { hooks } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/copy.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Section } from "../../ui/page.tsx";
import { Problem } from "../../ui/problem.tsx";
import { Ago } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { TONES, type Asset } from "./asset.ts";
import { bytes } from "./size.ts";
import { ASSET_TEXTS } from "./texts.ts";

interface AssetDrawerProps {
  readonly asset: Asset;
  readonly group: string | undefined;
  readonly isOwn: boolean;
  readonly onClose: () => void;
}

/** One asset: its file, its state, and changes by its user. */
export function AssetDrawer({ asset, group, isOwn, onClose }: AssetDrawerProps) {
  const t = useTexts(ASSET_TEXTS);
  const { channel, error } = asset;
  return (
    <Dialog shape="drawer" title={asset.name || asset.id} onClose={onClose}>
      <div className="flex flex-col gap-5">
        <div className="flex flex-wrap items-center gap-2 text-sm">
          <Badge tone={TONES[asset.state]}>{t.states[asset.state]}</Badge>
          <span className="text-muted">{t.types[asset.type]}</span>
          {error !== null && (
            <span className="text-bad min-w-0 break-words">{`${error.code}: ${error.message}`}</span>
          )}
        </div>
        {isOwn && asset.link !== null && <Preview asset={asset} link={asset.link} />}
        <dl className="grid grid-cols-1 gap-x-6 gap-y-1 text-sm sm:grid-cols-2">
          <Fact label={t.group}>{group ?? asset.group_id}</Fact>
          <Fact label={t.place}>{channel === null ? t.gateway : t.channel(channel)}</Fact>
          <Fact label={t.size}>{bytes(asset.size_bytes)}</Fact>
          <Fact label={t.mediaType}>{asset.media_type ?? "–"}</Fact>
          <Fact label={t.created}>
            <Ago at={asset.created_at} />
          </Fact>
          <Fact label={t.changed}>
            <Ago at={asset.updated_at} />
          </Fact>
          {isOwn && <Fact label={t.source}>{asset.url ?? t.uploaded}</Fact>}
          {asset.user_id !== undefined && (
            <Fact label={t.user}>
              <Link href={`/users?user=${asset.user_id}`} className="text-accent hover:underline">
                {asset.user_name ?? asset.user_id}
              </Link>
            </Fact>
          )}
        </dl>
        <Section title={t.reference}>
          <Code text={`asset://${asset.id}`} label={t.reference} />
        </Section>
        {isOwn && <Changes asset={asset} onRemoved={onClose} />}
      </div>
    </Dialog>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <div className="flex min-w-0 gap-2">
      <dt className="text-muted w-28 shrink-0">{label}</dt>
      <dd className="figures min-w-0 break-all">{children}</dd>
    </div>
  );
}

/** Files of the gateway show here. A vendor's open in a page of their own: this one loads none of others. */
function Preview({ asset, link }: { readonly asset: Asset; readonly link: string }) {
  const t = useTexts(ASSET_TEXTS);
  const label = `${t.preview}: ${asset.name || asset.id}`;
  if (!link.startsWith("/"))
    return (
      <a
        href={link}
        target="_blank"
        rel="noreferrer"
        className="text-accent self-start text-sm hover:underline"
      >
        {t.open}
      </a>
    );
  if (asset.type === "image")
    return (
      <img src={link} alt={label} className="border-line max-h-80 self-start rounded-md border" />
    );
  if (asset.type === "video")
    return (
      <video
        src={link}
        aria-label={label}
        controls
        preload="metadata"
        className="max-h-80 rounded-md"
      />
    );
  return <audio src={link} aria-label={label} controls preload="metadata" className="w-full" />;
}

function Changes({ asset, onRemoved }: { readonly asset: Asset; readonly onRemoved: () => void }) {
  const t = useTexts(ASSET_TEXTS);
  const client = useQueryClient();
  const [name, setName] = useState(asset.name);
  const [asks, setAsks] = useState(false);
  const path = { id: asset.id };
  const refresh = (): void => {
    void client.invalidateQueries({ queryKey: ["get", "/api/asset/self"] });
    void client.invalidateQueries({ queryKey: ["get", "/api/asset/self/group"] });
  };
  const rename = hooks.useMutation("put", "/api/asset/self/{id}", {
    onSuccess() {
      toast(t.renamed);
      refresh();
    },
    onError: () => undefined,
  });
  const remove = hooks.useMutation("delete", "/api/asset/self/{id}", {
    onSuccess() {
      toast(t.removed);
      refresh();
      onRemoved();
    },
    onError: () => undefined,
  });
  return (
    <>
      <form
        className="grid grid-cols-[1fr_auto] items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate({ params: { path }, body: { name: name.trim() } });
        }}
      >
        <TextField
          label={t.name}
          required
          maxLength={64}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" busy={rename.isPending}>
          {t.rename}
        </Button>
      </form>
      {rename.error !== null && <Problem error={rename.error} />}
      <Button look="danger" className="self-start" onClick={() => setAsks(true)}>
        {t.remove}
      </Button>
      {asks && (
        <Confirm
          title={t.removeTitle(asset.name || asset.id)}
          action={t.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ params: { path } })}
          onClose={() => setAsks(false)}
        >
          <p>{t.removeHint}</p>
          {remove.error !== null && <Problem error={remove.error} />}
        </Confirm>
      )}
    </>
  );
}
