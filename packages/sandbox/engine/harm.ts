import { hash } from "./random.ts";
import { words } from "./words.ts";

/** How likely a text is harmful in each of the ways that vendors tell apart; from 0 to 1. */
type Harm = Readonly<Record<HarmKind, number>>;

export type HarmKind = (typeof KINDS)[number];

export const KINDS = [
  "harassment",
  "harassment/threatening",
  "hate",
  "hate/threatening",
  "illicit",
  "illicit/violent",
  "self-harm",
  "self-harm/instructions",
  "self-harm/intent",
  "sexual",
  "sexual/minors",
  "violence",
  "violence/graphic",
] as const;

/** Above which a text is flagged. */
export const THRESHOLD = 0.5;

/** By the words alone: the more that belong to a kind, and the nearer they stand, the surer. */
export function harmIn(text: string): Harm {
  const found = new Set(words(text));
  const has = (list: readonly string[]) => list.filter((word) => found.has(word)).length;
  const counts = {
    violence: has(VIOLENCE),
    graphic: has(GRAPHIC),
    threat: has(THREAT),
    insult: has(INSULT),
    hatred: has(HATRED),
    group: has(GROUP),
    crime: has(CRIME),
    weapon: has(WEAPON),
    self: has(SELF),
    hurt: has(HURT),
    intent: has(INTENT),
    howTo: has(HOW_TO),
    sex: has(SEX),
    minor: has(MINOR),
  };
  const { violence, threat, insult, hatred, group, crime, self, hurt, sex } = counts;
  const both = (...parts: readonly number[]) => (parts.every((each) => each > 0) ? sum(parts) : 0);
  const ownHarm = both(self, hurt) + has(OWN_HARM);
  const evidence: Record<HarmKind, number> = {
    harassment: insult + both(threat, violence),
    "harassment/threatening": both(threat, violence),
    hate: both(hatred, group),
    "hate/threatening": both(hatred, group, violence),
    illicit: crime,
    "illicit/violent": both(crime, counts.weapon + violence),
    "self-harm": ownHarm,
    "self-harm/instructions": both(ownHarm, counts.howTo),
    "self-harm/intent": both(ownHarm, counts.intent),
    sexual: sex,
    "sexual/minors": both(sex, counts.minor),
    violence: violence + counts.graphic,
    "violence/graphic": counts.graphic,
  };
  const harm = { ...evidence };
  for (const kind of KINDS) harm[kind] = score(evidence[kind], text, kind);
  return harm;
}

const sum = (parts: readonly number[]) => parts.reduce((total, each) => total + each, 0);

/** Never nothing and never certain, and the same for the same text. */
function score(evidence: number, text: string, kind: HarmKind): number {
  const noise = hash(`${kind}\n${text}`) / 2 ** 32;
  if (evidence === 0) return 1e-7 + noise * 1e-4;
  return 1 - 0.3 ** evidence * (0.6 + 0.4 * noise);
}

const VIOLENCE = ["kill", "killed", "killing", "murder", "stab", "shoot", "attack", "beat", "harm"];
const GRAPHIC = ["blood", "gore", "guts", "dismember", "behead", "torture", "mutilate"];
const THREAT = ["you", "him", "her", "them", "your"];
const INSULT = ["idiot", "stupid", "moron", "loser", "worthless", "pathetic"];
const HATRED = ["hate", "vermin", "inferior", "subhuman", "despise"];
const GROUP = ["race", "immigrants", "foreigners", "women", "men", "muslims", "jews", "christians"];
const CRIME = ["steal", "shoplift", "launder", "counterfeit", "smuggle", "hack", "bomb", "drugs"];
const WEAPON = ["bomb", "gun", "explosive", "weapon", "poison"];
const SELF = ["myself", "yourself", "oneself"];
const HURT = ["hurt", "kill", "cut", "harm", "hang"];
const OWN_HARM = ["suicide", "suicidal"];
const INTENT = ["want", "will", "going", "plan"];
const HOW_TO = ["how", "instructions", "steps", "guide", "ways"];
const SEX = ["sex", "sexual", "porn", "nude", "naked", "erotic"];
const MINOR = ["child", "children", "minor", "teen", "underage"];
