import { useTexts } from "../../app/language.ts";
import type { Equal } from "../../api/curl.ts";
import { Page as PageFrame } from "../../ui/page.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Tabs } from "../../ui/tabs.tsx";
import { AlertList } from "./alert-list.tsx";
import { Deliveries } from "./deliveries.tsx";
import { Destinations } from "./destinations.tsx";
import { Rules } from "./rules.tsx";
import { ALERT_TEXTS } from "./texts.ts";

interface Tab {
  readonly equal: Equal;
  readonly command?: string;
  readonly Content: () => React.ReactNode;
}

const TABS = {
  alerts: { equal: { path: "/api/alert" }, command: "sluice alerts", Content: AlertList },
  rules: { equal: { path: "/api/alert/rule" }, command: "sluice alerts rules", Content: Rules },
  destinations: {
    equal: { path: "/api/alert/destination" },
    command: "sluice alerts destinations",
    Content: Destinations,
  },
  deliveries: { equal: { path: "/api/alert/delivery" }, Content: Deliveries },
} as const satisfies Record<string, Tab>;

const NAMES = Object.keys(TABS) as (keyof typeof TABS)[];

/** Alerts, their rules, destinations and messages. */
export function Page() {
  const t = useTexts(ALERT_TEXTS);
  const [params, setParams] = useQueryState();
  const name = NAMES.find((each) => each === params.get("tab")) ?? "alerts";
  const { equal, command, Content }: Tab = TABS[name];
  return (
    <PageFrame title={t.title} equal={equal} {...(command === undefined ? {} : { command })}>
      <Tabs
        label={t.title}
        value={name}
        tabs={NAMES.map((value) => ({ value, label: t.tabs[value] }))}
        onChange={(tab) =>
          setParams({ tab: tab === "alerts" ? "" : tab, state: "", kind: "", before: "" })
        }
      />
      <Content />
    </PageFrame>
  );
}
