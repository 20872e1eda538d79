import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { Filters } from "../../ui/filters.tsx";
import { SearchInput } from "../../ui/search-input.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { STATES, type Channel } from "./channel.ts";
import type { Results, TestResult } from "./channel-columns.tsx";
import { CHANNEL_TEXTS } from "./texts.ts";

/** Filters of the list, all of them in the address. */
export function ChannelFilters({
  tags,
  hasResults,
}: {
  readonly tags: readonly string[];
  readonly hasResults: boolean;
}) {
  const t = useTexts(CHANNEL_TEXTS);
  const [params, setParams] = useQueryState();
  const wanted = tagsIn(params);
  const tested = params.get("tested") ?? "";
  const toggle = (tag: string): void => {
    const next = wanted.includes(tag) ? wanted.filter((each) => each !== tag) : [...wanted, tag];
    setParams({ tag: next.join(",") });
  };
  return (
    <Filters>
      <SearchInput label={t.search} className="w-56" />
      <Select
        aria-label={t.health}
        className="w-40"
        value={params.get("state") ?? ""}
        onChange={(event) => setParams({ state: event.target.value })}
        choices={[
          { value: "", label: t.anyState },
          ...STATES.map((value) => ({ value, label: t.states[value] })),
        ]}
      />
      {(hasResults || tested !== "") && (
        <Select
          aria-label={t.result}
          className="w-40"
          value={tested}
          onChange={(event) => setParams({ tested: event.target.value })}
          choices={[
            { value: "", label: t.anyResult },
            { value: "failed", label: t.onlyFailed },
            { value: "passed", label: t.onlyPassed },
          ]}
        />
      )}
      <div role="group" aria-label={t.tagFilter} className="flex flex-wrap gap-1">
        {tags.map((tag) => (
          <Button
            key={tag}
            aria-pressed={wanted.includes(tag)}
            look={wanted.includes(tag) ? "main" : "plain"}
            onClick={() => toggle(tag)}
          >
            {tag}
          </Button>
        ))}
      </div>
      {tested !== "" && !hasResults && <p className="text-muted text-xs">{t.noResult}</p>}
    </Filters>
  );
}

export function tagsIn(params: URLSearchParams): readonly string[] {
  return (params.get("tag") ?? "").split(",").filter(Boolean);
}

export function isWanted(
  { name, provider, tags, health }: Channel,
  params: URLSearchParams,
  results: Results,
): boolean {
  const wanted = (params.get("q") ?? "").toLowerCase();
  const state = params.get("state") ?? "";
  if (state !== "" && health.state !== state) return false;
  if (!tagsIn(params).every((tag) => tags.includes(tag))) return false;
  const tested = params.get("tested");
  if (tested !== null && results.size > 0 && resultOf(results.get(name)) !== tested) return false;
  return [name, provider, ...tags].some((text) => text.toLowerCase().includes(wanted));
}

function resultOf(result: TestResult | undefined): "passed" | "failed" | undefined {
  if (result === undefined || result.probes.length === 0) return undefined;
  return result.ok ? "passed" : "failed";
}
