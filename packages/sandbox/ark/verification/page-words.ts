/** The vendor's own language is the default. */
export function wordsIn(language: string): Words {
  return (
    [SIMPLIFIED, TRADITIONAL, ENGLISH].find((each) => each.language === language) ?? SIMPLIFIED
  );
}

/** Texts of the page, in one language. */
export interface Words {
  readonly language: string;
  readonly title: string;
  readonly question: string;
  readonly pass: string;
  readonly deny: string;
  readonly expired: string;
  readonly used: string;
  readonly unknown: string;
}

const ENGLISH: Words = {
  language: "en",
  title: "Identity verification (simulated)",
  question: "No camera is used here: choose what it would have seen.",
  pass: "It is the person",
  deny: "It is not the person",
  expired: "The link has expired.",
  used: "The link has been used.",
  unknown: "There is no such verification.",
};

const SIMPLIFIED: Words = {
  language: "zh",
  title: "真人认证（模拟）",
  question: "此处不使用摄像头，请选择识别结果。",
  pass: "是本人",
  deny: "不是本人",
  expired: "链接已过期。",
  used: "链接已被使用。",
  unknown: "认证不存在。",
};

const TRADITIONAL: Words = {
  language: "zh-Hant",
  title: "真人認證（模擬）",
  question: "此處不使用攝影機，請選擇識別結果。",
  pass: "是本人",
  deny: "不是本人",
  expired: "連結已過期。",
  used: "連結已被使用。",
  unknown: "認證不存在。",
};
