import { useTexts } from "../../app/language.ts";
import { isAtLeast } from "../../app/pages.ts";
import { useUser } from "../../app/user.tsx";
import { Page as PageFrame } from "../../ui/page.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Tabs } from "../../ui/tabs.tsx";
import { TaskList } from "./task-list.tsx";
import { TASK_TEXTS } from "./texts.ts";
import { WebhookList } from "./webhook-list.tsx";

const PAGE_SIZE = 50;

/** Video tasks, and the webhooks that told of them. */
export function Page() {
  const t = useTexts(TASK_TEXTS);
  const isAuditor = isAtLeast(useUser().role, "auditor");
  const [params, setParams] = useQueryState();
  const tabs = isAuditor ? (["all", "own", "webhooks"] as const) : (["own", "webhooks"] as const);
  const tab = tabs.find((each) => each === params.get("tab")) ?? tabs[0];
  const names = tab === "all" ? ["state", "model", "user"] : ["state", "model"];
  const query =
    tab === "webhooks"
      ? { page_size: PAGE_SIZE }
      : {
          ...Object.fromEntries(
            names.flatMap((name) => {
              const value = params.get(name);
              return value === null ? [] : [[name, value]];
            }),
          ),
          page_size: PAGE_SIZE,
        };
  const path = { all: "/api/task", own: "/api/task/self", webhooks: "/api/notice" }[tab];
  return (
    <PageFrame
      title={t.title}
      equal={{ path, query }}
      {...(tab === "all" ? { command: "sluice tasks list" } : {})}
    >
      <Tabs
        label={t.title}
        value={tab}
        tabs={tabs.map((value) => ({ value, label: t.tabs[value] }))}
        onChange={(value) => setParams({ tab: value, state: undefined, user: undefined })}
      />
      {tab === "webhooks" ? (
        <WebhookList pageSize={PAGE_SIZE} />
      ) : (
        <TaskList key={tab} isAll={tab === "all"} query={query} params={params} set={setParams} />
      )}
    </PageFrame>
  );
}
