import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { ALERT_TEXTS } from "./texts.ts";

export const PAGE_SIZE = 100;

/** To older rows, and back to the newest. `ids`: of the rows of this page. */
export function Pager({ ids }: { readonly ids: readonly string[] }) {
  const t = useTexts(ALERT_TEXTS);
  const [params, setParams] = useQueryState();
  const isFull = ids.length === PAGE_SIZE;
  const isNewest = !params.has("before");
  if (isNewest && !isFull) return null;
  return (
    <div className="flex justify-end gap-2">
      <Button disabled={isNewest} onClick={() => setParams({ before: "" })}>
        {t.newest}
      </Button>
      <Button disabled={!isFull} onClick={() => setParams({ before: ids.at(-1) })}>
        {t.older}
      </Button>
    </div>
  );
}
