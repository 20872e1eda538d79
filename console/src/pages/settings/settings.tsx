import { useTexts } from "../../app/language.ts";
import { Page as PageFrame } from "../../ui/page.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Tabs } from "../../ui/tabs.tsx";
import { ConfigurationDocument } from "./configuration-document.tsx";
import { SettingValues } from "./setting-values.tsx";
import { SETTING_TEXTS } from "./texts.ts";

const TABS = ["values", "document"] as const;

/** Settings with their source, and the stored configuration as one document. */
export function Page() {
  const t = useTexts(SETTING_TEXTS);
  const [params, setParams] = useQueryState();
  const tab = TABS.find((each) => each === params.get("tab")) ?? "values";
  const isDocument = tab === "document";
  return (
    <PageFrame
      title={t.title}
      equal={{ path: isDocument ? "/api/config" : "/api/setting" }}
      command={isDocument ? "sluice config export" : "sluice settings list"}
    >
      <Tabs
        label={t.title}
        value={tab}
        tabs={TABS.map((value) => ({ value, label: t.tabs[value] }))}
        onChange={(value) => setParams({ tab: value })}
      />
      {isDocument ? <ConfigurationDocument /> : <SettingValues />}
    </PageFrame>
  );
}
