import JSON
import Kanban

/// The words of headings, columns and states in English, Korean and Japanese.
package enum ImportWords {
    /// Bytes of a text that may be a word. To fold a longer one may take long, and it has to be spelled alike.
    private static let longest = 400

    /// A word as it is looked up: without case, marks of composition, spaces, hyphens and underscores.
    package static func key(_ text: String) -> Spelling {
        guard text.utf8.count <= longest else { return Spelling(text) }
        return Spelling(String(text.sameKey.filter { !$0.isWhitespace && $0 != "-" && $0 != "_" && $0 != "." }))
    }

    /// The member of a task that a heading means.
    package static func member(_ heading: String) -> String? { members[key(heading)] }

    /// The same beside others: where a task has a title, its content is its notes.
    static func member(_ heading: String, among headings: [String]) -> String? {
        let content = Spelling("content")
        guard key(heading) == content, headings.contains(where: { key($0) != content && member($0) == "title" }) else {
            return member(heading)
        }
        return "body"
    }

    static func isMember(_ name: String) -> Bool { members.values.contains { $0.isSpelled(like: name) } }

    /// The column that a word means.
    package static func status(_ word: String) -> TaskStatus? { statuses[key(word)] }

    private static func table<Value>(_ lists: [(Value, String)]) -> [Spelling: Value] {
        var table: [Spelling: Value] = [:]
        for (value, words) in lists {
            for word in words.split(separator: ",") { table[key(String(word))] = value }
        }
        return table
    }

    private static let members = table([
        ("id", "id,uuid,uid,task id"),
        (
            "title",
            "title,name,task,task name,content,summary,subject,to do,todo,제목,할 일,이름,작업,작업명,タイトル,件名,題名,タスク,タスク名,名前"
        ),
        ("body", "body,description,notes,note,details,memo,comment,내용,설명,메모,노트,비고,本文,内容,説明,メモ,備考,詳細"),
        ("status", "status,state,column,stage,done,completed,is done,상태,진행,진행 상태,단계,완료,완료 여부,状態,ステータス,進捗,完了"),
        (
            "category",
            "category,project,list,list name,label,labels,tag,tags,section,folder,분류,카테고리,프로젝트,목록,라벨,태그,カテゴリ,カテゴリー,分類,プロジェクト,リスト,ラベル,タグ"
        ),
        ("dueDate", "due date,due,deadline,date,due on,due at,마감,마감일,기한,날짜,기일,期限,締切,締め切り,期日,日付,締切日"),
        ("position", "position,order,순서,順序"),
        ("createdAt", "created at,created,created on,creation date,created time,생성일,만든 날,등록일,작성일,作成日,作成日時,登録日"),
        ("updatedAt", "updated at,updated,modified,last modified,last edited time,수정일,변경일,更新日,更新日時"),
        ("completedAt", "completed at,completed on,done at,finished at,완료일,完了日,完了日時"),
    ])

    private static let statuses = table([
        (
            TaskStatus.todo,
            "todo,to do,open,backlog,not started,new,planned,pending,next,later,inbox,no,false,0,할 일,할일,예정,대기,대기 중,미완료,시작 전,시작전,백로그,未着手,未対応,予定,やること,未完了,未"
        ),
        (.doing, "doing,in progress,started,active,ongoing,wip,working,진행,진행 중,하는 중,작업 중,처리 중,進行中,作業中,対応中,着手,実行中"),
        (
            .done,
            "done,complete,completed,closed,finished,resolved,yes,true,x,1,✓,✔,완료,완료됨,끝,종료,한 일,完了,済,済み,終了,完了済み,対応済み"
        ),
    ])
}

extension ImportRemarks {
    /// The words of a date that is not understood go into the notes of the task.
    mutating func noteUnread(date text: String, of task: inout ForeignBoard.Task) {
        note("unread_date", "A date is not understood and is in the notes of its task: \(text.quoted).")
        task.body.addParagraph(text)
    }

    mutating func noteUnknown(list name: String) {
        note(
            "unknown_list",
            "The list \(name.quoted) is no column: its tasks are todo. Say otherwise with the rule list:\(name)=doing.")
    }
}

extension UnreadableImport {
    init(_ error: JSONError, in bytes: [UInt8]) {
        let line = JSONReader(bytes).line(at: error.offset)
        self.init("Line \(line), byte \(error.offset) of the JSON: \(error.detail)", line: line)
    }
}
