// SPDX-License-Identifier: Apache-2.0

/** 日本語（続き）：失敗の理由 */

/** @type {typeof import("./words-en-why.js").reasons} */
export const reasons = {
  noAnswer: "理由は伝えられていません",
  answered: (status) => `サーバーの応答は ${status} でした`,
  problem: (code) => `問題「${code}」`,
  gone: "この転送の情報はもうありません。",
  problems: {
    "remote-status": "サーバーがエラーを返しました",
    "remote-unreachable": "そのアドレスに接続できません",
    "remote-timeout": "サーバーが応答しなくなりました",
    "remote-protocol": "サーバーの応答を解釈できません",
    "tls": "安全な接続を確立できません",
    "length-mismatch": "長さが予告と異なります",
    "checksum-mismatch": "チェックサムが一致しません",
    "too-large": "ファイルが大きすぎます",
    "disk-full": "ディスクの空きがありません",
    "store-full": "保存できる容量に達しました",
    "disk-error": "ディスクに書き込めません",
    "source-changed": "サーバー上のファイルが変わりました",
    "interrupted": "接続が切れました",
    "client-disconnected": "送信側が切断しました",
    "choose-again": "ファイルの再選択で再開",
    "wrong-state": "今はその操作ができません",
    "not-found": "もうありません",
    "unauthorized": "先にサインインしてください",
    "forbidden": "その操作は許可されていません",
    "rate-limited": "操作が多すぎます。少し待ってください",
  },
  statuses: {
    401: "そのリンクにはパスワードが必要です",
    403: "アクセスが拒否されました",
    404: "リンク先が見つかりません",
    410: "リンク先はもうありません",
    429: "サーバーが待つように求めています",
  },
};
