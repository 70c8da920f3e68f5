// SPDX-License-Identifier: Apache-2.0

/** 日本語（続き） */

/** @type {typeof import("./words-en-more.js").more} */
export const more = {
  close: "閉じる", details: "詳細", drop: "ドロップしてアップロード",
  remove: "履歴から削除", removeEntry: "一覧からのみ", removeWithFile: "ファイルも削除", keep: "残す",
  form: {
    startMany: (n) => `${n} 件を開始`,
    starting: "開始しています…", running: "実行中です", pasteFirst: "先にリンクを貼り付けてください。",
    startedSome: (n, of) => `${of} 件のうち ${n} 件を開始しました。`,
    groupName: "グループ名（任意）",
  },
  history: {
    noHistory: "終わった転送はまだありません。", all: "すべて", loading: "読み込んでいます…", cannotLoad: "履歴を読み込めません", clear: "履歴を消去…",
    clearEntries: "一覧だけを消去", clearFiles: "ファイルも含めて消去", clearAsk: "ここに表示されている終わった転送を、全員の一覧から消去します。",
    clearAskFound: (q) => `名前に「${q}」を含む終わった転送を、全員の一覧から消去します。`,
    cannotClear: "履歴を消去できませんでした", cleared: (n) => `${n} 件を消去しました。`,
  },
  group: {
    pauseAll: "すべて一時停止", resumeAll: "すべて再開", filesDone: (n, of) => `${of} 件中 ${n} 件`,
    bySize: "サイズ比", byCount: "件数比", failedCount: (n) => `${n} 件失敗`,
    expand: "ファイルを表示", collapse: "ファイルを隠す",
  },
  notices: {
    title: "サーバーからのお知らせ",
    full: "ディスクの空きが少なくなっています。空きができるまで新しいダウンロードは始まりません。",
    setAside: "データベースが壊れていたため、新しく作り直しました。一覧の履歴は消えましたが、ファイルはすべて元の場所にあります。",
    parts: (n) => `どの転送にも属さない部分ファイルが ${n} 件あります。確認して削除できるように残してあります。`,
    modified: "最終書き込み",
  },
  settings: {
    theme: "テーマ", auto: "自動", light: "ライト", dark: "ダーク", language: "言語", notify: "自分の転送が終わったら通知する",
    notifyDenied: "ブラウザーが通知を許可していません。", shortcuts: "キーボードショートカット", useShortcuts: "1 文字のショートカットを使う",
    keys: [
      ["n", "新しいリンク"], ["/", "検索"], ["↑ ↓", "行を移動"], ["Enter", "詳細"], ["Space", "一時停止・再開"],
      ["r", "再試行"], ["Del", "中止"], ["?", "この一覧"], ["Esc", "閉じる"],
    ],
  },
  upload: {
    files: (n, time) => `${n} 個のファイル（${time}）`,
    already: (name) => `${name} はすでに送信中です。`,
    another: (name) => `送信を始めたファイルではありません。元のままの ${name} を選んでください。`,
    apart: (sent, received) => `送信 ${sent}、受信 ${received}`,
    collects: "このページとサーバーの間で、プロキシなどがアップロードの内容をいったん溜めてから渡しています。ファイルは届きますが、それまで進み具合は誰にも見えません。",
    lacks: "nginx の場合は、設定に次の行が足りません。",
  },
  news: {
    began: (name) => `${name} を開始しました`,
    beganMany: (n) => `${n} 件を開始しました`,
    finished: (name) => `${name} が完了しました`,
    finishedMany: (n) => `${n} 件が完了しました`,
    failed: (name, why) => `${name} が失敗しました：${why}`,
    failedMany: (n) => `${n} 件が失敗しました`,
    reached: (name, p) => `${name}：${p}%`,
  },
  detail: {
    created: "依頼", started: "開始", finished: "終了", elapsed: "所要時間", from: "取得元", to: "送信先",
    group: "グループ", attempts: "試行", digest: "SHA-256", file: "ファイル", open: "ファイルをダウンロード", curl: "curl で取得",
    speed: "速度", size: "サイズ", note: "備考", startNow: "今すぐ開始", limit: "速度の上限", priority: "優先度", peak: (rate) => `最高 ${rate}`, copy: "コピー", copied: "コピーしました", pressToCopy: "Ctrl+C でコピー",
    link: "この転送へのリンク", embed: "ほかのページに埋め込む", sinceOpened: "このページを開いてからの値",
    wholeLife: "全期間", attempt: (n) => `${n} 回目`, noReason: "理由は伝えられていません",
    first: "初回", noSpeed: "速度はまだ測定されていません。",
  },
};
