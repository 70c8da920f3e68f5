// SPDX-License-Identifier: Apache-2.0

import ProgressProtocol
import Testing

@testable import TransferCore

struct TransferStoryTests {
    private static func moment(_ milliseconds: Int64) -> Moment {
        Moment(clock: .milliseconds(milliseconds), at: Timestamp(milliseconds: 1_800_000_000_000 + milliseconds))
    }

    private static func transfer(_ bytes: Int64, attempt: Int = 1, reason: Problem.Code? = nil) -> Transfer {
        var transfer = Transfer(
            id: TransferID(milliseconds: 1, random: (1, 1)),
            kind: .download,
            name: "a",
            createdAt: Timestamp(milliseconds: 0)
        )
        transfer.bytes = bytes
        transfer.attempt = attempt
        transfer.reason = reason
        return transfer
    }

    @Test func `a steady stream has one rate in all places`() {
        var story = TransferStory(bytes: 0, at: Self.moment(0))
        for tick in 1...50 { story.observe(Self.transfer(Int64(tick) * 1000), at: Self.moment(Int64(tick) * 100)) }
        #expect(story.step == .milliseconds(500))
        #expect(story.rates.dropFirst() == [10_000, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000, 10_000])
    }

    @Test func `a pause is a gap of zeros`() {
        var story = TransferStory(bytes: 0, at: Self.moment(0))
        story.observe(Self.transfer(500), at: Self.moment(100))
        story.observe(Self.transfer(500), at: Self.moment(2000))
        story.observe(Self.transfer(1500), at: Self.moment(2100))
        story.observe(Self.transfer(1500), at: Self.moment(2600))
        #expect(story.rates == [1000, 0, 0, 0, 2000])
    }

    @Test func `a long life takes no more room, and no byte is lost`() {
        var story = TransferStory(bytes: 0, at: Self.moment(0))
        for second in 1...100_000 {
            story.observe(Self.transfer(Int64(second) * 700), at: Self.moment(Int64(second) * 1000))
        }
        #expect(story.rates.count <= TransferStory.places)
        #expect(story.rates.count >= TransferStory.places / 2 - 1)
        let seconds = story.step.wholeMilliseconds / 1000
        #expect(story.rates.dropFirst().allSatisfy { (690...710).contains($0) })
        #expect(seconds == 512)
    }

    @Test func `a machine that slept for a month is caught up with at once`() {
        var story = TransferStory(bytes: 0, at: Self.moment(0))
        story.observe(Self.transfer(1), at: Self.moment(30 * 86_400_000))
        #expect(story.rates.count < TransferStory.places)
    }

    @Test func `a clock that goes back and bytes that fall are no rates`() {
        var story = TransferStory(bytes: 0, at: Self.moment(1000))
        story.observe(Self.transfer(5000), at: Self.moment(1100))
        story.observe(Self.transfer(0, attempt: 2), at: Self.moment(900))
        story.observe(Self.transfer(0, attempt: 2), at: Self.moment(2000))
        #expect(story.rates == [10_000, 0])
    }

    @Test func `each attempt is kept with its reason, of very many the first and the newest`() {
        var story = TransferStory(bytes: 0, at: Self.moment(0))
        story.observe(Self.transfer(0), at: Self.moment(0))
        story.observe(Self.transfer(0, reason: .remoteTimeout), at: Self.moment(50))
        story.observe(Self.transfer(0, attempt: 2), at: Self.moment(100))
        #expect(story.attempts.map(\.number) == [1, 2])
        #expect(story.attempts.map(\.reason) == [nil, .remoteTimeout])
        for number in 3...200 { story.observe(Self.transfer(0, attempt: number), at: Self.moment(200)) }
        #expect(story.attempts.count == TransferStory.maximumAttempts)
        #expect(story.attempts.first?.number == 1)
        #expect(story.attempts.last?.number == 200)
    }

    @Test func `another run goes on where the story was, and what was between is a gap`() throws {
        var story = TransferStory(bytes: 0, at: Self.moment(0))
        #expect(story.document == nil)
        story.observe(Self.transfer(500, reason: .remoteTimeout), at: Self.moment(100))
        story.observe(Self.transfer(500, attempt: 2), at: Self.moment(600))
        let document = try #require(story.document)
        let later = Moment(clock: .zero, at: Self.moment(1500).at)
        var again = try #require(TransferStory(document, bytes: 500, at: later))
        #expect(again.since == story.since)
        #expect(again.attempts == story.attempts)
        again.observe(Self.transfer(1500, attempt: 2), at: Moment(clock: .milliseconds(100), at: Self.moment(1600).at))
        again.observe(Self.transfer(1500, attempt: 2), at: Moment(clock: .milliseconds(600), at: Self.moment(2100).at))
        #expect(again.rates == [1000, 0, 0, 2000])
        #expect(again.attempts.map(\.number) == [1, 2])
    }

    @Test func `a wall clock that was put back takes nothing from the story`() throws {
        var story = TransferStory(bytes: 0, at: Self.moment(0))
        story.observe(Self.transfer(500), at: Self.moment(100))
        story.observe(Self.transfer(700), at: Self.moment(1100))
        let document = try #require(story.document)
        let earlier = Moment(clock: .seconds(9), at: Timestamp(milliseconds: 0))
        #expect(try #require(TransferStory(document, bytes: 700, at: earlier)).rates == story.rates)
    }

    @Test(arguments: [
        "", "{}", "null", #"{"since":"2026-11-30T00:00:00Z","step":0,"moved":[1],"attempts":[]}"#,
        #"{"since":"2026-11-30T00:00:00Z","step":500,"moved":[],"attempts":[]}"#,
        #"{"since":"yesterday","step":500,"moved":[1],"attempts":[]}"#,
        #"{"since":"2026-11-30T00:00:00Z","step":500,"moved":1,"attempts":[]}"#,
    ]) func `what is no story is none`(document: String) {
        #expect(TransferStory(document, bytes: 0, at: Self.moment(0)) == nil)
    }

    @Test func `of what has ended only so many stories are kept`() {
        var stories = TransferStories()
        for number in 0..<UInt64(TransferStories.maximumEnded + 5) {
            var transfer = Self.transfer(1)
            transfer = Transfer(
                id: TransferID(milliseconds: 1, random: (number, number)),
                kind: .demo,
                name: "a",
                createdAt: Timestamp(milliseconds: 0)
            )
            transfer.outcome = .succeeded
            stories.observe(transfer, at: Self.moment(0))
        }
        #expect(stories[TransferID(milliseconds: 1, random: (0, 0))] == nil)
        #expect(stories[TransferID(milliseconds: 1, random: (5, 5))] != nil)
    }
}
