import { useTexts } from "../../app/language.ts";
import { Page as PageFrame } from "../../ui/page.tsx";
import { useQueryState } from "../../ui/query-state.ts";
import { Tabs } from "../../ui/tabs.tsx";
import { Audio } from "./audio.tsx";
import { Chat } from "./chat.tsx";
import { Images } from "./images.tsx";
import { KeyBar } from "./playground-key.tsx";
import { PLAYGROUND_TEXTS } from "./texts.ts";
import { Vectors } from "./vectors.tsx";
import { Video } from "./video.tsx";

const TABS = ["chat", "images", "audio", "vectors", "video"] as const;
const VIEWS = { chat: Chat, images: Images, audio: Audio, vectors: Vectors, video: Video };

/** Tries models as a client would: with a key, at the endpoints of all clients. */
export function Page() {
  const t = useTexts(PLAYGROUND_TEXTS);
  const [params, setParams] = useQueryState();
  const tab = TABS.find((each) => each === params.get("tab")) ?? "chat";
  const View = VIEWS[tab];
  return (
    <PageFrame title={t.title}>
      <KeyBar />
      <Tabs
        label={t.title}
        value={tab}
        tabs={TABS.map((value) => ({ value, label: t.tabs[value] }))}
        onChange={(value) => setParams({ tab: value, model: undefined, second: undefined })}
      />
      <View />
    </PageFrame>
  );
}
