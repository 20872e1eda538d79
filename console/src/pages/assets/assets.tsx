import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Tabs } from "../../ui/tabs.tsx";
import { AssetList } from "./asset-list.tsx";
import { GroupList } from "./group-list.tsx";
import { ASSET_TEXTS } from "./texts.ts";
import { VerificationList } from "./verification-list.tsx";

/** The library of media that tasks refer to, and verifications of persons. */
export function Page() {
  const t = useTexts(ASSET_TEXTS);
  const isAuditor = isAtLeast(useUser().role, "auditor");
  const [params, setParams] = useQueryState();
  const values = isAuditor
    ? (["own", "groups", "verifications", "all"] as const)
    : (["own", "groups", "verifications"] as const);
  const tab = values.find((each) => each === params.get("tab")) ?? "own";
  const tabs = (
    <Tabs
      label={t.title}
      value={tab}
      tabs={values.map((value) => ({ value, label: t.tabs[value] }))}
      onChange={(value) =>
        setParams({
          tab: value === "own" ? undefined : value,
          ...Object.fromEntries(FILTERS.map((name) => [name, undefined])),
        })
      }
    />
  );
  if (tab === "groups") return <GroupList tabs={tabs} />;
  if (tab === "verifications") return <VerificationList tabs={tabs} isAll={isAuditor} />;
  return <AssetList key={tab} tabs={tabs} isAll={tab === "all"} />;
}

const FILTERS = ["state", "type", "group", "name", "user", "p", "asset"];
